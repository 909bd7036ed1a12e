"""Tables in memory: rows that never change by themselves, and a journal that can take every change back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from governor.domain.approval import Vote
from governor.domain.audit import Sealed
from governor.domain.credentials import Credential, Hashes
from governor.domain.environments import Environment
from governor.domain.errors import require
from governor.domain.external import ExternalRefund
from governor.domain.freezes import Freeze
from governor.domain.limit_changes import LimitChange
from governor.domain.limits import CounterKey, Limit
from governor.domain.payments import PaymentFacts
from governor.domain.requests import HoldRow, RefundRequest
from governor.domain.resolutions import Proposal
from governor.ports.inbox import Walk
from governor.ports.provider import ProviderEvent
from governor.ports.records import Operation, RecordedEvidence
from governor.ports.rules import WrittenRule

Key = TypeVar("Key")
Row = TypeVar("Row")
Journal = list[tuple[dict[Any, Any], Any, Any]]
"""What was there before: a table, a key, and the row that stood under it (None: none did)."""

Named = tuple[str, str]
"""An environment and an id within it."""


class Table(dict[Key, Row], Generic[Key, Row]):
    """Rows by their key. Every change goes through `put`, `add` or `drop`, so that it can be taken back."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self._journal = journal

    def put(self, key: Key, row: Row) -> None:
        """The row that stands under this key from now on."""
        self._journal.append((self, key, self.get(key)))
        self[key] = row

    def add(self, key: Key, row: Row) -> None:
        """A row under a key that must be free, as a UNIQUE constraint asks.

        Raises:
            InvariantBroken: `constraint_violated`.
        """
        require(key not in self, "constraint_violated", f"{key} is there already")
        self.put(key, row)

    def drop(self, key: Key) -> None:
        """Nothing stands under this key any more."""
        if key in self:
            self._journal.append((self, key, self.pop(key)))


@dataclass(frozen=True)
class EnvironmentRow:
    """An environment, its bucket of provider calls, and where its audit trail ends."""

    environment: Environment
    tokens: float
    tokens_at: datetime
    audit_seq: int
    audit_hash: str
    audit_at: datetime


@dataclass(frozen=True)
class Counter:
    """What is taken of one limit, for one scope value, in one window. Never negative."""

    key: CounterKey
    reserved: int = 0
    settled: int = 0

    def __post_init__(self) -> None:
        """As the CHECK constraints say.

        Raises:
            InvariantBroken: `constraint_violated`.
        """
        require(min(self.reserved, self.settled) >= 0, "constraint_violated", f"{self} is negative")


@dataclass(frozen=True)
class PaymentRow:
    """A payment as the provider showed it, and what is taken of it in minor units. Never negative."""

    facts: PaymentFacts
    reserved: int
    settled: int

    def __post_init__(self) -> None:
        """As the CHECK constraints say.

        Raises:
            InvariantBroken: `constraint_violated`.
        """
        least = min(self.reserved, self.settled)
        require(least >= 0, "constraint_violated", f"{self.facts.payment} has less than nothing taken")


@dataclass(frozen=True)
class Bell:
    """An outbox row: ring for this request at this time (UTC)."""

    environment: str
    request: str
    due_at: datetime


@dataclass(frozen=True)
class KeptEvent:
    """An event of the provider in the inbox; `due_at` (UTC) None: it was read, with this result."""

    event: ProviderEvent
    digest: str
    received_at: datetime
    due_at: datetime | None
    tries: int = 0
    result: str | None = None


class Tables:
    """Everything that is kept. `commits` counts transactions that changed something."""

    def __init__(self) -> None:
        self.journal: Journal = []
        self.commits = 0
        self.environments: Table[str, EnvironmentRow] = Table(self.journal)
        self.credentials: Table[str, tuple[Credential, Hashes]] = Table(self.journal)
        self.limits: Table[Named, Limit] = Table(self.journal)
        self.rules: Table[Named, tuple[WrittenRule, ...]] = Table(self.journal)
        """Every revision of each, newest first."""
        self.limit_changes: Table[Named, LimitChange] = Table(self.journal)
        self.counters: Table[int, Counter] = Table(self.journal)
        self.counter_ids: Table[tuple[str, CounterKey], int] = Table(self.journal)
        self.payments: Table[Named, PaymentRow] = Table(self.journal)
        self.requests: Table[Named, RefundRequest] = Table(self.journal)
        self.operation_keys: Table[Named, str] = Table(self.journal)
        self.holds: Table[Named, tuple[HoldRow, ...]] = Table(self.journal)
        self.external: Table[Named, ExternalRefund] = Table(self.journal)
        self.evidence: Table[Named, tuple[RecordedEvidence, ...]] = Table(self.journal)
        self.votes: Table[Named, tuple[tuple[Vote, datetime], ...]] = Table(self.journal)
        self.hold_versions: Table[tuple[str, str, int], Mapping[str, Any]] = Table(self.journal)
        self.proposals: Table[Named, tuple[Proposal, ...]] = Table(self.journal)
        self.freezes: Table[Named, Freeze] = Table(self.journal)
        self.bells: Table[int, Bell] = Table(self.journal)
        self.operations: Table[tuple[str, str, str], Operation] = Table(self.journal)
        self.in_flight: Table[Named, datetime] = Table(self.journal)
        self.events: Table[Named, KeptEvent] = Table(self.journal)
        self.walks: Table[Named, Walk] = Table(self.journal)
        self.audit: Table[tuple[str, int], Sealed] = Table(self.journal)

    def commit(self) -> None:
        """What was changed since the last commit stays."""
        self.commits += bool(self.journal)
        self.journal.clear()

    def roll_back(self) -> None:
        """Everything is as it was at the last commit."""
        while self.journal:
            table, key, before = self.journal.pop()
            if before is None:
                table.pop(key, None)
            else:
                table[key] = before
