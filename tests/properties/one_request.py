"""One request in memory, with as much of a transaction around it as the real apply_evidence asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from governor.domain.audit import Entry
from governor.domain.environments import Environment, Mode
from governor.domain.evidence import Evidence
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.requests import HoldRow, RefundRequest
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction
from governor.usecases.apply_evidence import apply_evidence
from tests.properties.orders import ATTEMPTS
from tests.unit.values import NOON, request


@dataclass
class OneRequest:
    """Keeps the request, its evidence (each piece once, as the natural key does it) and the environment."""

    standing: RefundRequest
    now: datetime = NOON
    known: list[RecordedEvidence] = field(default_factory=list)
    audited: list[Entry] = field(default_factory=list)
    rung: list[tuple[str, datetime]] = field(default_factory=list)
    here: Environment = field(
        default_factory=lambda: Environment(
            "test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 1, 1, NOON
        )
    )

    def request(self, environment: str, request_id: str) -> RefundRequest | None:
        return self.standing if (environment, request_id) == ("test", "rr_1") else None

    def evidence(self, environment: str, request_id: str) -> tuple[RecordedEvidence, ...]:
        return tuple(self.known) if self.request(environment, request_id) else ()

    def add_evidence(self, _request_id: str, recorded: RecordedEvidence) -> bool:
        new = recorded not in self.known
        if new:
            self.known.append(recorded)
        return new

    def carry(self, before: RefundRequest, after: RefundRequest) -> None:
        assert before == self.standing
        self.standing = after

    def holds(self, _environment: str, _request_id: str) -> tuple[HoldRow, ...]:
        return ()

    def active_limits(self) -> tuple[Limit, ...]:
        return ()

    def append_audit(self, entries: Sequence[Entry]) -> None:
        self.audited.extend(entries)

    def enqueue(self, requests: Iterable[tuple[str, datetime]]) -> None:
        self.rung.extend(requests)

    def save_environment(self, environment: Environment) -> None:
        self.here = environment


def really_applied(origin: State, order: Sequence[Evidence], *, wished: bool) -> OneRequest:
    """The world after the real use case has heard these pieces in this order."""
    start = request(origin, attempts=ATTEMPTS, cancel_requested_at=NOON if wished else None)
    world = OneRequest(start)
    for piece in order:
        apply_evidence(
            cast(Transaction, world), "rr_1", RecordedEvidence(piece, "a_reason", None, None, NOON)
        )
    return world
