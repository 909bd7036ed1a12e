"""The books, laid open in one snapshot to be checked: counters, holds, payments, requests, evidence, audit trail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.audit import Place, Sealed
from governor.domain.environments import Environment
from governor.domain.evidence import Evidence
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import Capacity, State
from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest


@dataclass(frozen=True)
class Finding:
    """One thing that does not add up: what is expected by the rule named `code`, and what was found instead."""

    code: str
    environment: str
    object: str
    expected: str
    found: str


@dataclass(frozen=True)
class OpenRequest:
    """A request that should hold capacity, with what it does hold: (limit, value) → amount, as the limit measures."""

    request: RefundRequest
    held: Mapping[tuple[str, str], int]


class OpenBooks(Protocol):
    """One unchanging snapshot of the books. Everything is looked up within one environment."""

    def environments(self) -> tuple[str, ...]:
        """All environments, by name."""
        ...

    def sizes(self, environment: str) -> Mapping[str, int]:
        """How many rows of each kind there are to check."""
        ...

    def wrong_sums(self, environment: str) -> Iterator[Finding]:
        """Counters whose `reserved` or `settled` is not the sum of their holds (invariant 17)."""
        ...

    def wrong_holds(self, environment: str, capacity: Mapping[State, Capacity]) -> Iterator[Finding]:
        """Holds that are not what the state of their request makes of capacity, or settle another amount."""
        ...

    def wrong_payments(self, environment: str, capacity: Mapping[State, Capacity]) -> Iterator[Finding]:
        """Payments whose `reserved` or `settled` is not the sum over their requests."""
        ...

    def wrong_columns(self, environment: str) -> Iterator[Finding]:
        """Requests and external refunds whose columns contradict their state, and outbox rows without a request."""
        ...

    def wrong_environment(self, environment: str) -> Iterator[Finding]:
        """An environment whose freeze is not the one that stands, and memberships that are not as their person is."""
        ...

    def wrong_messages(self, environment: str) -> Iterator[Finding]:
        """Messages that an endpoint which wants them does not get, or that are told out of turn."""
        ...

    def unreadable(self, environment: str) -> Iterator[Finding]:
        """Times that are none, in whatever row, and settings that cannot be read: values that no code has written."""
        ...

    def limits(self, environment: str) -> Iterator[Limit | Finding]:
        """What requests are charged to: the limits and tallies that are not archived. A finding for what is no limit."""
        ...

    def open_requests(self, environment: str, states: frozenset[State]) -> Iterator[OpenRequest | Finding]:
        """Every request in one of these states; a finding for a row that is no request."""
        ...

    def environment(self, environment: str) -> Environment:
        """Its settings."""
        ...

    def requests_between(
        self, environment: str, currency: str, since: datetime, until: datetime
    ) -> Iterator[tuple[RefundRequest, tuple[Evidence, ...]]]:
        """Requests made then, or whose refund the provider made then, each with all its evidence."""
        ...

    def external_between(
        self, environment: str, currency: str, since: datetime, until: datetime
    ) -> Iterator[ExternalRefund]:
        """Refunds made elsewhere that happened then and are no request's."""
        ...

    def audit_trail(self, environment: str) -> Iterator[Sealed]:
        """The audit trail as it is stored, by number."""
        ...

    def audit_head(self, environment: str) -> Place:
        """Where the trail should end."""
        ...


class Books(Protocol):
    """Where the books are kept."""

    def opened(self) -> AbstractContextManager[OpenBooks]:
        """A snapshot that writers neither change nor wait for.

        Raises:
            Unavailable: the database cannot be read.
        """
        ...
