"""Small records that travel through the store's port beside the domain's own values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from governor.domain.admission import PaymentBook, Sibling
from governor.domain.approval import Vote
from governor.domain.credentials import Credential
from governor.domain.environments import Environment, Mode
from governor.domain.evidence import Evidence
from governor.domain.freezes import Freeze
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Proposal


@dataclass(frozen=True)
class Operation:
    """What a key of a decision- or settings-changing POST did: kept so that a repeat is a replay."""

    scope: str
    key: str
    fingerprint: str
    object_id: str
    status: int


@dataclass(frozen=True)
class Surroundings:
    """What a batch of admissions looks at beside the counters, read in one go.

    `known` by operation key; `chains` by credential, itself first; `payments` and `siblings` (those that are open,
    or succeeded since the asked time, by id; and those that only a refund at the provider names) by payment. `external`: what refunds made elsewhere took of a payment,
    minor units. `freezes`: all that stand. `any_expired`: a hold's time for approval is over.
    """

    known: dict[str, RefundRequest]
    chains: dict[str, tuple[Credential, ...]]
    payments: dict[str, tuple[PaymentFacts, PaymentBook]]
    siblings: dict[str, tuple[Sibling, ...]]
    external: dict[str, int]
    freezes: tuple[Freeze, ...]
    any_expired: bool

    def book_of(self, payment: str) -> PaymentBook:
        """What is taken of a payment, also of one that governor has refunded nothing of yet."""
        known = self.payments.get(payment)
        return known[1] if known else PaymentBook(external=self.external.get(payment, 0))


@dataclass(frozen=True)
class AtTheGate:
    """What must still be so right before the bytes leave, all read at the moment `now` (database time, UTC)."""

    request: RefundRequest | None
    environment: Environment | None
    chain: tuple[Credential, ...]
    freezes: tuple[Freeze, ...]
    votes: tuple[Vote, ...]
    """What people have said of its hold."""
    same_history: bool
    """Whether the database has the history that dispatch last saw, or was put in its place meanwhile."""
    now: datetime

    @property
    def observed(self) -> bool:
        """Whether the environment only observes: then our own limits stop nothing."""
        return self.environment is not None and self.environment.mode is Mode.OBSERVE


@dataclass(frozen=True)
class RequestFilter:
    """Which refund requests a list shows. Repeated values of one field mean "any of them"."""

    states: tuple[str, ...] = ()
    payments: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    customers: tuple[str, ...] = ()
    requested_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrailFilter:
    """Which rows of the audit trail a list shows: up to row `last`; several values of one field mean "any of them".

    An actor is a credential, or a person: then whatever they did, with any of their keys or signed in.
    """

    objects: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    last: int | None = None


WHOLE_TRAIL = TrailFilter()


@dataclass(frozen=True)
class CounterRow:
    """One counter as operators see it."""

    value: str
    window_start: datetime
    settled: int
    reserved: int


@dataclass(frozen=True)
class InDoubt:
    """A request on the unknown desk, with the provider's names of the calls it made and what people said of it."""

    request: RefundRequest
    provider_requests: tuple[str, ...]
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True)
class RecordedEvidence:
    """A piece of evidence with when (UTC) and why it was recorded, for the timeline."""

    evidence: Evidence
    reason: str
    http_status: int | None
    provider_request_id: str | None
    recorded_at: datetime
