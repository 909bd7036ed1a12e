"""Requests that need more than one approver, as an approval rule makes them."""

from sqlalchemy import text

from governor.domain.requests import RefundRequest
from tests.builders import World

_QUORUM = text("UPDATE refund_requests SET quorum = :people WHERE environment = :env AND id = :id")


def need(world: World, request: RefundRequest, people: int) -> RefundRequest:
    """The request with a quorum of so many people, as if a rule had asked for them when it was admitted."""
    with world.app.engine.begin() as connection:
        connection.execute(_QUORUM, {"people": people, "env": request.environment, "id": request.id})
    return world.now(request)
