"""What auditors ask about people: who decides with whom, when, how quickly, what they change and what they set aside.

Decisions are read from the votes, with what they were about; everything else from the audit trail. Every report is
about a period, and reads no more rows than are decided or changed in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from governor.domain.audit import Sealed
from governor.domain.audit_questions import DECISIONS, LIMIT_CHANGES, OVERRIDES, overrides
from governor.domain.decided import Decided
from governor.domain.errors import Invalid
from governor.domain.pairs import Pair, unusual
from governor.domain.rules import Hours
from governor.ports.records import TrailFilter
from governor.ports.votes import VoteFilter, Votes
from governor.usecases.read_trail import AT_ONCE, ReadTrail

USUAL: Final = timedelta(days=30)
"""The period that nobody has to name."""

LOOKED_THROUGH: Final = 20_000
"""How many rows of the trail one report looks through before it says that it is not whole."""

Line = TypeVar("Line")
Told = TypeVar("Told")


@dataclass(frozen=True)
class Period:
    """From `since` (inclusive) to `until` (exclusive), UTC."""

    since: datetime
    until: datetime


@dataclass(frozen=True)
class Report(Generic[Line]):
    """The first lines of a period; `whole` when those are all.

    `looked_from` is the moment (UTC) before which nothing was looked at, where the report stopped looking: that there is
    no line then says nothing.
    """

    lines: tuple[Line, ...]
    whole: bool
    looked_from: datetime | None = None

    def each(self, told: Callable[[Line], Told]) -> Report[Told]:
        """The same report, each line told in another way."""
        return Report(tuple(map(told, self.lines)), self.whole, self.looked_from)


@dataclass(frozen=True)
class JudgedPair:
    """A pair of people, and whether somebody should look at it (governor.domain.pairs)."""

    pair: Pair
    stands_out: bool


@dataclass(frozen=True)
class AuditReports:
    """Reads only. `now` is the time by which people have decided."""

    trail: ReadTrail
    votes: Votes
    now: Callable[[], datetime]

    def period(self, since: datetime | None, until: datetime | None) -> Period:
        """Up to now, and 30 days long, as far as nobody says otherwise.

        Raises:
            Invalid: `period_empty`.
        """
        end = until or self.now()
        begin = since or end - USUAL
        if begin >= end:
            raise Invalid("period_empty", "The period ends before it begins.")
        return Period(begin, end)

    def pairs(self, environment: str, period: Period) -> tuple[JudgedPair, ...]:
        """Who decided whose requests, those that stand out first."""
        found = self.votes.pairs(environment, period.since, period.until)
        odd = unusual(found)
        judged = [JudgedPair(pair, pair in odd) for pair in found]
        return tuple(sorted(judged, key=lambda one: not one.stands_out))

    def decided(
        self, environment: str, period: Period, chosen: VoteFilter, *, at_most: int
    ) -> Report[Decided]:
        """Decisions on holds, one line for each person's word."""
        found = self.votes.decided(environment, period.since, period.until, chosen, at_most=at_most + 1)
        return Report(found[:at_most], len(found) <= at_most)

    def out_of_hours(self, environment: str, period: Period, hours: Hours, *, at_most: int) -> Report[Sealed]:
        """What was decided at other times than these."""
        return self._report(environment, period, DECISIONS, lambda row: not hours.has(row.at), at_most)

    def limit_changes(self, environment: str, period: Period, *, at_most: int) -> Report[Sealed]:
        """What was said of limits."""
        return self._report(environment, period, LIMIT_CHANGES, lambda _: True, at_most)

    def overrides(self, environment: str, period: Period, *, at_most: int) -> Report[Sealed]:
        """Where people set aside what governor or the provider said."""
        return self._report(environment, period, OVERRIDES, lambda row: overrides(row.entry), at_most)

    def _report(
        self,
        environment: str,
        period: Period,
        actions: tuple[str, ...],
        wanted: Callable[[Sealed], bool],
        at_most: int,
    ) -> Report[Sealed]:
        lines: list[Sealed] = []
        reached = period.until
        for number, row in enumerate(self._backwards(environment, period, actions)):
            if number == LOOKED_THROUGH:
                return Report(tuple(lines), whole=False, looked_from=reached)
            reached = row.at
            if wanted(row):
                lines.append(row)
            if len(lines) > at_most:
                return Report(tuple(lines[:at_most]), whole=False)
        return Report(tuple(lines), whole=True)

    def _backwards(self, environment: str, period: Period, actions: tuple[str, ...]) -> Iterator[Sealed]:
        """The period's rows with one of these actions, newest first; each page is a short look of its own."""
        chosen = TrailFilter(actions=actions)
        until: datetime | int = period.until
        while True:
            page = self.trail.end_of(environment, chosen, period.since, until, at_most=AT_ONCE)
            yield from reversed(page)
            if len(page) < AT_ONCE:
                return
            until = page[0].seq - 1
