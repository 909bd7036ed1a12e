"""The database as the core needs it.

All writing in one environment happens in one line: `UnitOfWork.environment` locks the environment's row
first, so that two transactions of one environment never overlap, no lock order can be wrong, and the audit
trail is the order in which things happened. Many admissions share one transaction (usecases/together).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from governor.domain.approval import Vote
from governor.domain.audit import Entry
from governor.domain.credentials import Credential
from governor.domain.environments import Environment
from governor.domain.external import ExternalRefund
from governor.domain.freezes import Freeze
from governor.domain.limits import Charge
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Proposal
from governor.ports.limits import LimitWrites
from governor.ports.reads import Reads
from governor.ports.records import Operation, RecordedEvidence, Surroundings
from governor.ports.rules import RuleWrites


class Transaction(Reads, LimitWrites, RuleWrites, Protocol):
    """One writing transaction of one environment, holding its line."""

    @property
    def now(self) -> datetime:
        """Database time (UTC) after the line was joined, moved by the development clock."""
        ...

    @property
    def here(self) -> Environment:
        """The environment, as read under its lock."""
        ...

    def add_requests(self, requests: Sequence[RefundRequest]) -> None:
        """New requests, admitted or denied."""
        ...

    def take(self, request: str, charges: Sequence[Charge], *, moved_minor: int | None = None) -> None:
        """Reserve: one held share per charge. Counters that do not exist yet are born here, once.

        `moved_minor` books what has left already, for a limit that came later than the refund. The share stays what
        was asked for: that is held again should the refund fall back into doubt.
        """
        ...

    def save_facts(self, facts: PaymentFacts, *, reserve: int = 0) -> None:
        """Keep what the provider showed of a payment, and reserve `reserve` minor units of it."""
        ...

    def enqueue(self, requests: Iterable[tuple[str, datetime]]) -> None:
        """Outbox rows: ring for these requests at these times."""
        ...

    def append_audit(self, entries: Sequence[Entry]) -> None:
        """Seal entries behind the head of the environment's chain."""
        ...

    def flush(self) -> None:
        """Write what was collected, in one statement."""
        ...

    def save_requests(self, requests: Sequence[RefundRequest]) -> None:
        """Write the present standing of requests whose capacity stays where it is."""
        ...

    def carry(self, before: RefundRequest, after: RefundRequest) -> None:
        """Write a request's new standing and carry its capacity with it: counters, holds and payment."""
        ...

    def book_external(
        self, before: ExternalRefund | None, after: ExternalRefund, charges: Sequence[Charge] = ()
    ) -> None:
        """Write a refund made elsewhere and carry its room with it; `charges` are taken by one seen first."""
        ...

    def add_evidence(self, request: str, recorded: RecordedEvidence) -> bool:
        """Append evidence under its natural key; False when exactly this was known already."""
        ...

    def add_vote(self, hold: str, vote: Vote) -> None:
        """Append one person's decision."""
        ...

    def keep_hold_version(self, request: RefundRequest) -> None:
        """Append what a request's hold has shown, which is about to change."""
        ...

    def add_proposal(self, request: str, proposal: Proposal) -> None:
        """Append what one person says of how a request ended."""
        ...

    def add_operation(self, operation: Operation) -> None:
        """Remember what a key did."""
        ...

    def add_credential(self, credential: Credential, secret_hash: str | None) -> None:
        """A new credential; only the hash of its secret is kept, and a membership has none."""
        ...

    def revoke_credential(self, credential_id: str, reason: str | None) -> None:
        """From now on it opens nothing."""
        ...

    def rotate_credential(
        self, credential_id: str, secret_hash: str, until: datetime, known_to: tuple[str, ...]
    ) -> None:
        """A new secret; the one it replaces opens until then, and the one before that no more."""
        ...

    def not_sent_of(self, credential_id: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests of a credential and of everything below it that wait for people or for a worker."""
        ...

    def add_freeze(self, freeze: Freeze) -> None:
        """A freeze that stands from now on; one at most for each scope and value."""
        ...

    def save_freeze(self, freeze: Freeze) -> None:
        """Who has proposed to end it, and who ended it."""
        ...

    def save_environment(self, environment: Environment) -> None:
        """The environment's new settings."""
        ...

    def follow_history(self) -> tuple[str, str] | None:
        """From now on the database's present history is the one that dispatch has seen.

        Returns the one before and the present one, when they differ.
        """
        ...

    def surroundings(
        self, keys: Collection[str], credentials: Collection[str], payments: Collection[str], since: datetime
    ) -> Surroundings:
        """What is known of these operation keys, credentials and payments; siblings that succeeded after `since`."""
        ...

    def expired_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose approval time is over, though nobody has booked that yet."""
        ...

    def expiring_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests that wait, of which people are to be told that their time runs out."""
        ...

    def due(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that may be sent now: oldest first, one per payment, none beside an unresolved one."""
        ...

    def unresolved(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests in doubt or pending at the provider that are due for a look."""
        ...

    def lost_leases(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose worker did not report back in time."""
        ...

    def exposed_since(self, since: datetime) -> tuple[RefundRequest, ...]:
        """Every open request, and those admitted since then that have succeeded."""
        ...

    def external_since(self, since: datetime) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere that are not final yet, and those since then that have succeeded."""
        ...

    def take_tokens(self, wanted: int) -> int:
        """Up to `wanted` provider calls that the environment's rate allows now; they count as made.

        The bucket is small, so that the rate is kept within every second, not only on average.
        """
        ...


class UnitOfWork(Protocol):
    """Opens transactions. A write is acknowledged only after its commit is durable."""

    def environment(self, name: str) -> AbstractContextManager[Transaction]:
        """A writing transaction that holds the environment's line; commits on leaving without an exception.

        Raises:
            NotFound: no such environment.
            Unavailable: `decision_not_recorded` when the lock, a statement or the commit did not succeed, or
                when it is not known within seconds that the commit is durable. Unconfirmed, of the same code,
                when the connection was lost at the commit.
            InvariantBroken: the database refused a row that our rules let through.
        """
        ...

    def reading(self) -> AbstractContextManager[Reads]:
        """Reads without a transaction around them: nothing is locked, nothing is kept open."""
        ...

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        ...

    def add_environment(self, environment: Environment) -> bool:
        """Found an environment; False when its name is taken."""
        ...

    def note_use(self, environment: str, credential_id: str) -> None:
        """A credential's key has opened something in this minute."""
        ...

    def mark_in_flight(self, environment: str, key: str, seconds: int) -> bool:
        """Say that this key's first request is being worked on; False when somebody else said so."""
        ...

    def clear_in_flight(self, environment: str, key: str) -> None:
        """The key is free again, or names a request now."""
        ...
