"""Reading from the database, as the core needs it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from governor.domain.admission import PaymentBook
from governor.domain.approval import Vote
from governor.domain.audit import Place, Sealed
from governor.domain.credentials import Credential, Hashes
from governor.domain.doubt import DoubtTotal
from governor.domain.environments import Environment
from governor.domain.external import ExternalRefund
from governor.domain.freezes import Freeze
from governor.domain.limits import Charge, CounterKey, Holder, Usage
from governor.domain.payments import PaymentFacts
from governor.domain.requests import HoldRow, RefundRequest
from governor.domain.resolutions import Proposal
from governor.domain.stand_ins import StandIn
from governor.ports.limits import LimitReads
from governor.ports.records import (
    WHOLE_TRAIL,
    AtTheGate,
    InDoubt,
    Operation,
    RecordedEvidence,
    RequestFilter,
    TrailFilter,
)
from governor.ports.rules import RuleReads


class Reads(LimitReads, RuleReads, Protocol):
    """Reading, in any transaction. Everything is looked up within one environment."""

    def environment_named(self, name: str) -> Environment | None:
        """One environment."""
        ...

    def environments(self) -> tuple[Environment, ...]:
        """All environments, by name."""
        ...

    def credential(self, credential_id: str) -> tuple[Credential, Hashes] | None:
        """A credential of any environment with the hashes of its secrets: the way in."""
        ...

    def credentials(self, environment: str) -> tuple[Credential, ...]:
        """All credentials of an environment, oldest first."""
        ...

    def approvers(self, environment: str, owners: Collection[str] | None = None) -> tuple[Credential, ...]:
        """The credentials of approvers that are not revoked, oldest first; with `owners`, of these people only."""
        ...

    def credential_tree(self, environment: str, credential_id: str) -> tuple[Credential, ...]:
        """A credential with everything below it, oldest first."""
        ...

    def credential_chains(self, environment: str, ids: Collection[str]) -> dict[str, tuple[Credential, ...]]:
        """Per credential: itself and its ancestors, itself first."""
        ...

    def stand_ins(self, environment: str, now: datetime) -> tuple[StandIn, ...]:
        """The stand-ins that count at `now`."""
        ...

    def freezes(self, environment: str) -> tuple[Freeze, ...]:
        """The freezes that stand, oldest first."""
        ...

    def freeze(self, environment: str, freeze_id: str) -> Freeze | None:
        """One freeze, whether it stands or has ended."""
        ...

    def request(self, environment: str, request_id: str) -> RefundRequest | None:
        """One refund request."""
        ...

    def environment_of(self, request_id: str) -> str | None:
        """Where a request lives; the way in for a job, which carries only an id."""
        ...

    def at_the_gate(self, environment: str, request_id: str, credential_id: str) -> AtTheGate:
        """A request, its environment, and its credential with all ancestors, in one look."""
        ...

    def request_by_key(self, environment: str, key: str) -> RefundRequest | None:
        """The request that this operation key names."""
        ...

    def request_by_hold(self, environment: str, hold: str) -> RefundRequest | None:
        """The request that this hold belongs to."""
        ...

    def requests(
        self, environment: str, chosen: RequestFilter, *, after: str | None, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """Newest first; `after` is the id of the last one already seen."""
        ...

    def questions(self, environment: str, requester: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What this credential asked for and an approver sent back with a question that is not answered, newest first."""
        ...

    def votes(self, environment: str, hold: str) -> tuple[tuple[Vote, datetime], ...]:
        """The decisions on a hold, oldest first."""
        ...

    def hold_version(self, environment: str, hold: str, version: int) -> Mapping[str, Any] | None:
        """What an earlier version of a hold has shown; None for the one that stands, and for what never was."""
        ...

    def holds(self, environment: str, request_id: str) -> tuple[HoldRow, ...]:
        """What a request occupies, counter by counter."""
        ...

    def evidence(self, environment: str, request_id: str) -> tuple[RecordedEvidence, ...]:
        """All evidence of a request in the order of recording."""
        ...

    def payment(self, environment: str, payment: str) -> tuple[PaymentFacts, PaymentBook] | None:
        """The cached facts of a payment, and what governor has taken of it."""
        ...

    def usage(self, environment: str, charges: Iterable[Charge]) -> dict[CounterKey, Usage]:
        """What the charged counters hold; zeros for a counter that is not born yet."""
        ...

    def requests_seen(
        self, environment: str, payment: str | None, named: Collection[str]
    ) -> tuple[RefundRequest, ...]:
        """All requests of a payment, and those of these ids whatever they are about."""
        ...

    def external_refunds(self, environment: str, ids: Collection[str]) -> tuple[ExternalRefund, ...]:
        """What is kept of these refunds made elsewhere."""
        ...

    def list_external_refunds(
        self, environment: str, *, after: str | None, at_most: int
    ) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere, by id; `after` is the id of the last one already seen."""
        ...

    def holders(
        self, environment: str, keys: Sequence[CounterKey], *, at_most: int
    ) -> dict[CounterKey, tuple[Holder, ...]]:
        """Who holds capacity of these counters, newest first, `at_most` of each."""
        ...

    def anything_due(self, environment: str, now: datetime) -> bool:
        """Whether a queued request could be sent at `now`."""
        ...

    def anything_expired(self, environment: str, now: datetime) -> bool:
        """Whether a hold's time for approval is over at `now`."""
        ...

    def anything_expiring(self, environment: str, now: datetime) -> bool:
        """Whether people are to be told at `now` that a hold's time for approval runs out."""
        ...

    def anything_unresolved(self, environment: str, now: datetime) -> bool:
        """Whether a request in doubt, or pending at the provider, is due for a look at `now`."""
        ...

    def anything_lost(self, environment: str, now: datetime) -> bool:
        """Whether a lease has run out at `now`."""
        ...

    def history_changed(self, environment: str) -> bool:
        """Whether the database has another history than dispatch last saw: another server, or another timeline of it."""
        ...

    def operation(self, environment: str, scope: str, key: str) -> Operation | None:
        """What an earlier POST with this key did."""
        ...

    def audit(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The audit trail, oldest first, behind row `after`."""
        ...

    def audit_end(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The last `at_most` of the same rows, oldest first."""
        ...

    def audit_ends(self, environment: str) -> tuple[Place, int] | None:
        """Where the environment says that its trail ends, and the number of the newest row, in one look.

        None when there is no such environment.
        """
        ...

    def proposals(self, environment: str, request_id: str) -> tuple[Proposal, ...]:
        """What people said of how a request ended, oldest first."""
        ...

    def in_doubt(self, environment: str, *, after: str | None, at_most: int) -> tuple[InDoubt, ...]:
        """The unknown desk, longest in doubt first: what is unknown, and what is pending and flagged.

        `after` is the id of the last one already seen.
        """
        ...

    def in_doubt_totals(self, environment: str, now: datetime) -> tuple[DoubtTotal, ...]:
        """What the whole desk adds up to at `now`, by currency and age."""
        ...

    def unresolved_of(self, environment: str, payment: str) -> tuple[RefundRequest, ...]:
        """The requests of a payment of which nobody knows yet whether money left, oldest first."""
        ...

    def keys_of_refunds(self, environment: str, payment: str) -> dict[str, str]:
        """Refund id → the key of the call that made it, as the provider's events of this payment told."""
        ...
