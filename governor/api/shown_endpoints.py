"""Endpoints and deliveries as operators see them: never a secret but in the answer that makes it."""

from __future__ import annotations

from typing import Any

from governor.api.output import Output, Time
from governor.domain.deliveries import Delivery
from governor.domain.endpoints import Endpoint, EndpointKind
from governor.ports.messages import EndpointHealth


class EndpointOut(Output):
    """An endpoint. `place` is the host it is at; `types` are those it wants, none of them meaning all.

    `failing_since`: since when it takes nothing. It is told what happens from `told_since` on.
    """

    id: str
    kind: str
    place: str
    types: list[str]
    description: str | None
    created_at: Time
    told_since: Time
    rotated_at: Time | None
    previous_until: Time | None
    failing_since: Time | None
    disabled_at: Time | None
    disabled_reason: str | None
    deleted_at: Time | None


class NewEndpointOut(EndpointOut):
    """An endpoint with its secret, in this answer and nowhere else; null for Slack, e-mail and a repeated key."""

    secret: str | None


class EndpointHealthOut(EndpointOut):
    """An endpoint with how it is doing: deliveries that are under way or waiting, and those that were given up."""

    waiting: int
    given_up: int


class WholeEndpointOut(EndpointHealthOut):
    """An endpoint with where it is. A Slack URL is a secret, and null here."""

    url: str | None
    to: list[str] | None


class EndpointsOut(Output):
    """The endpoints of the environment, oldest first."""

    data: list[EndpointHealthOut]


class DeliveryOut(Output):
    """A message on its way to an endpoint. `due_at`: when it is tried next, or until when it may be under way."""

    message: str
    endpoint: str
    type: str
    object: str
    state: str
    tries: int
    created_at: Time
    due_at: Time | None
    tried_at: Time | None
    delivered_at: Time | None
    last_status: int | None
    last_error: str | None
    last_milliseconds: int | None


class DeliveriesOut(Output):
    """Deliveries to one endpoint, newest message first."""

    data: list[DeliveryOut]
    has_more: bool
    next_cursor: str | None


def _members(endpoint: Endpoint) -> dict[str, Any]:
    named = {name: getattr(endpoint, name) for name in EndpointOut.model_fields}
    return named | {"kind": endpoint.kind.value, "types": list(endpoint.types)}


def shown_endpoint(endpoint: Endpoint) -> dict[str, Any]:
    """An endpoint without how it is doing."""
    return EndpointOut(**_members(endpoint)).model_dump(mode="json")


def shown_new_endpoint(endpoint: Endpoint, secret: str | None) -> dict[str, Any]:
    """An endpoint with its secret, this once."""
    return NewEndpointOut(**_members(endpoint), secret=secret).model_dump(mode="json")


def shown_health(health: EndpointHealth) -> dict[str, Any]:
    """An endpoint with how it is doing."""
    return EndpointHealthOut(
        **_members(health.endpoint), waiting=health.waiting, given_up=health.given_up
    ).model_dump(mode="json")


def shown_whole_endpoint(health: EndpointHealth, target: str | None) -> dict[str, Any]:
    """An endpoint with how it is doing and where it is, as far as that is no secret."""
    to_people = health.endpoint.kind is EndpointKind.EMAIL
    return WholeEndpointOut(
        **_members(health.endpoint),
        waiting=health.waiting,
        given_up=health.given_up,
        url=None if to_people else target,
        to=target.split(",") if to_people and target is not None else None,
    ).model_dump(mode="json")


def shown_delivery(delivery: Delivery) -> dict[str, Any]:
    """A delivery, all of it."""
    return DeliveryOut(**vars(delivery) | {"state": delivery.state.value}).model_dump(mode="json")
