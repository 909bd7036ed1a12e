"""Looking at endpoints and at what became of the messages to them."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.deliveries import Delivery
from governor.domain.endpoints import Endpoint, EndpointKind
from governor.domain.errors import InvariantBroken, NotFound
from governor.ports.couriers import Box
from governor.ports.messages import (
    ALL_DELIVERIES,
    DeliveryFilter,
    EndpointHealth,
    EndpointReads,
    EndpointStore,
    PassedOver,
)
from governor.usecases.callers import Caller


@dataclass(frozen=True)
class SeeEndpoints:
    """The operators' view. Secrets are seen nowhere; a Slack URL is one."""

    store: EndpointStore
    box: Box

    def all(self, caller: Caller) -> tuple[EndpointHealth, ...]:
        """Every endpoint with how it is doing, oldest first."""
        with self.store.reading() as reads:
            return reads.endpoint_health(caller.environment)

    def passed_over(self, caller: Caller) -> PassedOver | None:
        """What happened and no endpoint could be told of; None when that is nothing."""
        with self.store.reading() as reads:
            return reads.passed_over(caller.environment)

    def one(self, caller: Caller, endpoint_id: str) -> tuple[EndpointHealth, str | None]:
        """One endpoint, and its target where that is no secret: a URL, or addresses with commas between.

        Raises:
            NotFound: `endpoint_not_found`.
        """
        with self.store.reading() as reads:
            health = reads.endpoint_health(caller.environment)
            found = reads.endpoint(caller.environment, endpoint_id)
        named = next((one for one in health if one.endpoint.id == endpoint_id), None)
        if named is None or found is None:
            raise _not_found()
        return named, self._shown(found[0], found[1].target)

    def _shown(self, endpoint: Endpoint, target: bytes) -> str | None:
        if endpoint.kind is EndpointKind.SLACK:
            return None
        try:
            return self.box.open(target, endpoint.seat("target"))
        except InvariantBroken:
            # Sealed under another pepper: the endpoint can be looked at and deleted, and takes nothing.
            return None

    def deliveries(
        self,
        caller: Caller,
        endpoint_id: str,
        chosen: DeliveryFilter = ALL_DELIVERIES,
        *,
        after: str | None = None,
        at_most: int,
    ) -> tuple[Delivery, ...]:
        """What became of the messages to an endpoint, newest message first.

        Raises:
            NotFound: `endpoint_not_found`.
        """
        with self.store.reading() as reads:
            _check(reads, caller, endpoint_id)
            return reads.deliveries(caller.environment, endpoint_id, chosen, after=after, at_most=at_most)

    def delivery(self, caller: Caller, endpoint_id: str, message_id: str) -> Delivery:
        """What became of one message.

        Raises:
            NotFound: `endpoint_not_found`, `delivery_not_found`.
        """
        with self.store.reading() as reads:
            _check(reads, caller, endpoint_id)
            found = reads.delivery(caller.environment, endpoint_id, message_id)
        if found is None:
            raise NotFound("delivery_not_found", "This endpoint was never told of such a message.")
        return found


def _check(reads: EndpointReads, caller: Caller, endpoint_id: str) -> None:
    if reads.endpoint(caller.environment, endpoint_id) is None:
        raise _not_found()


def _not_found() -> NotFound:
    return NotFound("endpoint_not_found", "There is no such endpoint.")
