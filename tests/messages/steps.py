"""Steps of the stories about messages."""

from __future__ import annotations

from governor.domain.deliveries import Delivery
from governor.domain.endpoints import Endpoint, EndpointKind
from governor.usecases.callers import Caller
from governor.usecases.manage_endpoints import EndpointDraft, Made
from tests.builders import World, fresh_key
from tests.receiver import Receiver


def draft(
    url: str | None,
    *types: str,
    kind: EndpointKind = EndpointKind.WEBHOOK,
    to: tuple[str, ...] = (),
    description: str | None = None,
) -> EndpointDraft:
    return EndpointDraft(kind, url, to, types, description)


def listen(world: World, receiver: Receiver, *types: str, by: Caller | None = None) -> Made:
    """An endpoint for these types of messages, or for all."""
    given = draft(receiver.url, *types)
    return world.app.messages.endpoints.create(by or world.operator, given, fresh_key("endpoint"))


def deliveries(world: World, endpoint: Endpoint) -> tuple[Delivery, ...]:
    """Newest first."""
    return world.app.messages.see.deliveries(world.operator, endpoint.id, at_most=100)


def told(receiver: Receiver) -> list[tuple[str, str]]:
    """What the receiver was told: types and objects, in the order of what happened."""
    calls = sorted(receiver.calls, key=lambda call: call.headers["webhook-id"])
    return [(call.json["type"], call.json["data"]["id"]) for call in calls]
