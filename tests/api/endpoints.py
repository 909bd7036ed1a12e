"""Endpoints to be called about, for the samples: one at a time, since an environment has only so many."""

from __future__ import annotations

from governor.domain.endpoints import EndpointKind
from governor.domain.messages import TEST
from governor.usecases.manage_endpoints import EndpointDraft
from tests.builders import World, fresh_key


def endpoints_with_room(world: World) -> str:
    """The path of the collection, with nothing in it."""
    for one in world.app.messages.see.all(world.operator):
        world.app.messages.endpoints.delete(world.operator, one.endpoint.id)
    return "/webhook-endpoints"


def endpoint_in(world: World) -> str:
    """The id of the only endpoint."""
    endpoints_with_room(world)
    draft = EndpointDraft(EndpointKind.WEBHOOK, "https://hooks.example.com/", (), (TEST,), None)
    return world.app.messages.endpoints.create(world.operator, draft, fresh_key()).endpoint.id


def replay_in(world: World) -> str:
    """The path that replays the only message to the only endpoint."""
    messages, endpoint = world.app.messages, endpoint_in(world)
    messages.endpoints.test(world.operator, endpoint, fresh_key())
    while messages.tell():
        pass
    (delivery,) = messages.see.deliveries(world.operator, endpoint, at_most=2)
    return f"/webhook-endpoints/{endpoint}/deliveries/{delivery.message}/replay"
