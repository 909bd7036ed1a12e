"""Limits in the store: what they count, the series of changes that says what they allow, and late ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.limit_changes import LimitChange
from governor.domain.limits import Charge, CounterKey, Limit
from governor.domain.requests import RefundRequest
from governor.ports.records import CounterRow


@dataclass(frozen=True)
class WindowSum:
    """What all counters of one limit hold together in one window, and the most that any of them holds."""

    window_start: datetime
    counters: int
    settled: int
    reserved: int
    most: int


class LimitReads(Protocol):
    """Reading limits. Each comes with what it allows now, by the database's clock."""

    def limit(self, environment: str, limit_id: str) -> Limit | None:
        """One limit, archived or not; a tally is none."""
        ...

    def limits(self, environment: str, *, archived: bool = False) -> tuple[Limit, ...]:
        """All limits, oldest first; the archived ones only when asked for. A tally is none."""
        ...

    def limit_changes(self, environment: str, limit_id: str) -> tuple[LimitChange, ...]:
        """Everything that was ever said of what a limit allows, oldest first."""
        ...

    def limits_then(
        self, environment: str, at: datetime, *, after: str | None, at_most: int
    ) -> tuple[Limit, ...]:
        """The limits that bound at a moment, oldest first, behind the one with the id `after`: each as it stands now."""
        ...

    def limit_changes_until(
        self, environment: str, at: datetime, limits: Collection[str]
    ) -> tuple[LimitChange, ...]:
        """All that was decided until a moment of these limits, oldest first."""
        ...

    def open_limit_changes(
        self, environment: str, now: datetime, limit_id: str | None = None
    ) -> tuple[LimitChange, ...]:
        """What waits for a second person, for its time or for its end at `now`, oldest first.

        Of one limit, or of all; never of an archived one.
        """
        ...

    def counters(self, environment: str, limit_id: str, *, at_most: int) -> tuple[CounterRow, ...]:
        """The counters of a limit, newest window first."""
        ...

    def window_sums(
        self, environment: str, limit_id: str, value: str | None, *, at_most: int
    ) -> tuple[WindowSum, ...]:
        """The newest windows of a limit, newest first: of one scope value, or of all together."""
        ...


class LimitWrites(LimitReads, Protocol):
    """What a transaction does with limits, and with what they ask of requests that were there before them."""

    def active_limits(self) -> tuple[Limit, ...]:
        """What is charged: limits and tallies that are not archived; read anew only when what they allow has changed."""
        ...

    def add_limit(self, limit: Limit) -> None:
        """A new limit; what it allows is its first change."""
        ...

    def save_limit(self, limit: Limit) -> None:
        """A limit's new revision, or its archiving."""
        ...

    def add_limit_change(self, change: LimitChange) -> None:
        """What somebody says that a limit shall allow. It becomes known with the limit's own writing, which goes along."""
        ...

    def save_limit_change(self, change: LimitChange) -> None:
        """Who has confirmed or withdrawn it, and when it begins since. Known as `add_limit_change` says."""
        ...

    def unproven_exposure(self, charges: Iterable[Charge]) -> dict[CounterKey, int]:
        """What of each charged counter's window waiting requests hold that were not proven to fit under its limit."""
        ...

    def rebook(self, request: str, charges: Sequence[Charge]) -> None:
        """Move what a request holds on these limits into the counters charged now, where they are other ones.

        Only for holds that were never proven to fit: a proven one stays where it was made (invariant 9).
        """
        ...

    def parked(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that wait for room under a limit that came later, oldest first."""
        ...
