"""Messages out: the endpoints that people set up, what they are told, and whoever carries it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.audit import Sealed
from governor.domain.deliveries import Delivery, DeliveryState, Receipt
from governor.domain.endpoints import Disabled, Endpoint
from governor.domain.messages import Message
from governor.ports.reads import Reads
from governor.ports.store import Transaction


@dataclass(frozen=True)
class SealedTarget:
    """What opens an endpoint, sealed: its URL or addresses, and the secrets its messages are signed with."""

    target: bytes
    secret: bytes | None = None
    previous: bytes | None = None


@dataclass(frozen=True)
class EndpointHealth:
    """How an endpoint is doing. `waiting` are deliveries that are not done, `given_up` those that never will be."""

    endpoint: Endpoint
    waiting: int
    given_up: int


@dataclass(frozen=True)
class DeliveryFilter:
    """Which deliveries of an endpoint a list shows; several values of one field mean "any of them"."""

    states: tuple[DeliveryState, ...] = ()
    types: tuple[str, ...] = ()


ALL_DELIVERIES = DeliveryFilter()


class EndpointReads(Reads, Protocol):
    """Looking at endpoints and deliveries beside everything else."""

    def endpoints(self, environment: str) -> tuple[Endpoint, ...]:
        """Those that are not deleted, oldest first."""
        ...

    def has_endpoints(self, environment: str) -> bool:
        """Whether there is one that is not deleted."""
        ...

    def endpoint(self, environment: str, endpoint_id: str) -> tuple[Endpoint, SealedTarget] | None:
        """One that is not deleted, with what opens it."""
        ...

    def endpoint_health(self, environment: str) -> tuple[EndpointHealth, ...]:
        """The endpoints with what became of their deliveries, oldest first."""
        ...

    def passed_over(self, environment: str) -> PassedOver | None:
        """What nobody could be told of; None when that is nothing."""
        ...

    def delivery(self, environment: str, endpoint_id: str, message_id: str) -> Delivery | None:
        """One delivery."""
        ...

    def deliveries(
        self, environment: str, endpoint_id: str, chosen: DeliveryFilter, *, after: str | None, at_most: int
    ) -> tuple[Delivery, ...]:
        """Newest message first; `after` is the id of the last message already seen."""
        ...


class EndpointTransaction(Transaction, EndpointReads, Protocol):
    """A writing transaction of one environment that can change its endpoints."""

    def add_endpoint(self, endpoint: Endpoint, sealed: SealedTarget) -> None:
        """A new endpoint, with what opens it."""
        ...

    def rotate_endpoint(self, endpoint_id: str, secret: bytes, until: datetime) -> None:
        """A new secret; messages are signed with the one it replaces until then, too."""
        ...

    def disable_endpoint(self, endpoint_id: str, reason: Disabled) -> None:
        """It gets nothing more; what was on its way is given up."""
        ...

    def enable_endpoint(self, endpoint_id: str) -> None:
        """It gets what happens from now on."""
        ...

    def delete_endpoint(self, endpoint_id: str) -> None:
        """What opens it is forgotten for good; what was on its way is given up."""
        ...

    def replay_delivery(self, endpoint_id: str, message_id: str) -> None:
        """It is tried again from now on, as if it never was."""
        ...


class EndpointStore(Protocol):
    """`governor.ports.store.UnitOfWork`, with endpoints."""

    def environment(self, name: str) -> AbstractContextManager[EndpointTransaction]:
        """A writing transaction that holds the environment's line."""
        ...

    def reading(self) -> AbstractContextManager[EndpointReads]:
        """Reads without a transaction around them."""
        ...

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        ...


@dataclass(frozen=True)
class Claimed:
    """A delivery that is ours until its lease is over. `tries` counts this one: it fences what comes late."""

    endpoint: Endpoint
    sealed: SealedTarget
    message: Message
    tries: int
    claimed_at: datetime


@dataclass(frozen=True)
class UntoldRow:
    """A row of the audit trail that the outside was not told of. `read` gives it, or raises why it cannot be read."""

    seq: int
    read: Callable[[], Sealed]


@dataclass(frozen=True)
class PassedOver:
    """Rows of an environment's audit trail that nobody could be told of: how many, the first, and when it was met (UTC)."""

    count: int
    first: int
    since: datetime


class Trail(Protocol):
    """The rows of an environment's audit trail that the outside was not told of yet, held against everybody else."""

    @property
    def rows(self) -> tuple[UntoldRow, ...]:
        """In order; some at a time."""
        ...

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All there are. Whoever is not among them was created behind the last row."""
        ...

    def pass_over(self, seq: int, error: str) -> None:
        """Keep that nobody could be told of row `seq`, and the type of the exception that says why."""
        ...

    def tell(self, messages: Sequence[tuple[Message, Sequence[Endpoint]]], seq: int) -> None:
        """Write messages with a delivery for each endpoint that wants them; the outside is told up to row `seq`."""
        ...


class Outgoing(Protocol):
    """What is to be told and delivered, shared by any number of processes.

    Every method raises Unavailable (`database_unavailable`) when the database is away.
    """

    def untold(self) -> tuple[str, ...]:
        """The environments whose trail has rows that the outside was not told of."""
        ...

    def untold_since(self, environment: str) -> datetime | None:
        """When the oldest thing happened (UTC) that the outside was not told of; None when it was told everything."""
        ...

    def trail(self, environment: str) -> AbstractContextManager[Trail | None]:
        """The rows to be told, in one transaction; None while another process has them."""
        ...

    def claim(self, *, at_most: int) -> tuple[Claimed, ...]:
        """Deliveries that are due, under a lease; of one endpoint only so many at a time."""
        ...

    def forget(self, before: datetime) -> int:
        """Remove the oldest messages from before then, some at a time, with their deliveries; returns how many.

        One that is still on its way stays.
        """
        ...

    def delivered(self, claimed: Claimed, receipt: Receipt) -> None:
        """The endpoint took it, in whichever try, and so is not failing."""
        ...

    def failed(self, claimed: Claimed, receipt: Receipt, next_try_at: datetime | None) -> datetime | None:
        """It is tried again then, or given up. Returns since when the endpoint takes nothing.

        None when somebody else has the delivery by now, or it is delivered.
        """
        ...
