"""Limits in memory: what they count, the series of changes that says what they allow, and their counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from adapters.memory.tables import Counter, Tables
from governor.domain.limit_changes import LimitChange, series, stood_at
from governor.domain.limits import Limit
from governor.ports.limits import WindowSum
from governor.ports.records import CounterRow


class LimitReads:
    """`governor.ports.limits.LimitReads`, by looking at every row."""

    _tables: Tables
    _clock: Callable[[], datetime]

    def _read_at(self) -> datetime:
        """The moment at which limits are read."""
        return self._clock()

    def limit(self, environment: str, limit_id: str) -> Limit | None:
        """One limit, archived or not."""
        found = self._tables.limits.get((environment, limit_id))
        return None if found is None or found.tally else self._standing(environment, found)

    def limits(self, environment: str, *, archived: bool = False) -> tuple[Limit, ...]:
        """All limits, oldest first; the archived ones only when asked for."""
        found = (one for one in self._all(environment) if not one.tally)
        return tuple(one for one in found if archived or not one.archived)

    def charged_limits(self, environment: str) -> tuple[Limit, ...]:
        """Limits and tallies that are not archived, oldest first."""
        return tuple(one for one in self._all(environment) if not one.archived)

    def _all(self, environment: str) -> Iterator[Limit]:
        for key in sorted(key for key in self._tables.limits if key[0] == environment):
            limit = self._tables.limits[key]
            yield limit if limit.tally else self._standing(environment, limit)

    def _standing(self, environment: str, limit: Limit) -> Limit:
        now = self._read_at()
        steps = series(self.limit_changes(environment, limit.id), now)
        first = replace(limit, cap=steps[0].cap, approval_above=steps[0].approval_above, change=None)
        return replace(first, steps=steps).at(now)

    def limit_changes(self, environment: str, limit_id: str) -> tuple[LimitChange, ...]:
        """Everything that was ever said of what a limit allows, oldest first."""
        return tuple(one for one in self._changes(environment) if one.limit == limit_id)

    def limits_then(
        self, environment: str, at: datetime, *, after: str | None, at_most: int
    ) -> tuple[Limit, ...]:
        """The limits that bound at a moment, oldest first, behind the one with the id `after`."""
        found = (
            one
            for one in self.limits(environment, archived=True)
            if (after is None or one.id > after) and stood_at(self.limit_changes(environment, one.id), at)
        )
        return tuple(islice(found, at_most))

    def limit_changes_until(
        self, environment: str, at: datetime, limits: Collection[str]
    ) -> tuple[LimitChange, ...]:
        """All that was decided until a moment of these limits, oldest first."""
        return tuple(
            one
            for one in self._changes(environment)
            if one.limit in limits and one.decided_at is not None and one.decided_at <= at
        )

    def _changes(self, environment: str) -> list[LimitChange]:
        mine = (one for (env, _), one in self._tables.limit_changes.items() if env == environment)
        return sorted(mine, key=lambda one: (one.proposed.at, one.id))

    def open_limit_changes(
        self, environment: str, now: datetime, limit_id: str | None = None
    ) -> tuple[LimitChange, ...]:
        """What waits for a second person, for its time or for its end at `now`, oldest first."""
        return tuple(
            one
            for one in self._changes(environment)
            if limit_id in {None, one.limit}
            and one.withdrawn is None
            and not self._tables.limits[environment, one.limit].archived
            and (one.waits or one.effective_at > now or (one.until is not None and one.until > now))
        )

    def counters(self, environment: str, limit_id: str, *, at_most: int) -> tuple[CounterRow, ...]:
        """The counters of a limit, newest window first."""
        found = sorted(self._counters(environment, limit_id), key=lambda one: one.key.value)
        found.sort(key=lambda one: one.key.window_start, reverse=True)
        return tuple(
            CounterRow(one.key.value, one.key.window_start, one.settled, one.reserved)
            for one in found[:at_most]
        )

    def _counters(self, environment: str, limit_id: str) -> list[Counter]:
        ids = self._tables.counter_ids.items()
        return [
            self._tables.counters[one]
            for (env, key), one in ids
            if (env, key.limit) == (environment, limit_id)
        ]

    def window_sums(
        self, environment: str, limit_id: str, value: str | None, *, at_most: int
    ) -> tuple[WindowSum, ...]:
        """The newest windows of a limit, newest first: of one scope value, or of all together."""
        windows: defaultdict[datetime, list[Counter]] = defaultdict(list)
        for one in self._counters(environment, limit_id):
            if value in {None, one.key.value}:
                windows[one.key.window_start].append(one)
        return tuple(
            WindowSum(
                window_start=start,
                counters=len(windows[start]),
                settled=sum(one.settled for one in windows[start]),
                reserved=sum(one.reserved for one in windows[start]),
                most=max(one.settled + one.reserved for one in windows[start]),
            )
            for start in sorted(windows, reverse=True)[:at_most]
        )
