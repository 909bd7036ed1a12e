"""What became of the requests of the last 24 hours, hour by hour, and who decided them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.lifecycle import State
from governor.domain.replay_of_past import Verdict

HOURS = 24
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class AskedCount:
    """Requests of one hour (`hour` is its beginning, UTC) that stand alike; `held` were held for approval."""

    hour: datetime
    state: State
    held: bool
    count: int


@dataclass(frozen=True)
class LastDay:
    """By hour, the present one last, and by verdict. `known_since`: every hour from then on is counted whole (UTC).

    That may be later than the present hour: then none is.
    """

    hours: Mapping[datetime, Mapping[State, int]]
    verdicts: Mapping[Verdict, int]
    known_since: datetime

    @property
    def total(self) -> int:
        """How many requests are counted."""
        return sum(self.verdicts.values())

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left uncounted."""
        return all(map(self.is_known, self.hours))

    def is_known(self, hour: datetime) -> bool:
        """Whether all of this hour is counted."""
        return hour >= self.known_since


def begins_at(now: datetime) -> datetime:
    """The first of the last 24 hours, the present one included (UTC)."""
    return now.replace(minute=0, second=0, microsecond=0) - (HOURS - 1) * HOUR


def last_day(counts: Iterable[AskedCount], now: datetime, *, is_whole: bool) -> LastDay:
    """Sort counts by hour and verdict. Of counts that are not whole, the oldest hour is not known, nor what lies before."""
    found = tuple(counts)
    since = begins_at(now)
    hours = {since + number * HOUR: Counter[State]() for number in range(HOURS)}
    verdicts: Counter[Verdict] = Counter()
    for one in found:
        # Whoever set the clock back has asked in an hour that is still to come: shown as of now.
        hours[min(one.hour, since + (HOURS - 1) * HOUR)][one.state] += one.count
        verdicts[_verdict(one)] += one.count
    known = since if is_whole or not found else min(one.hour for one in found) + HOUR
    return LastDay(hours, {verdict: verdicts[verdict] for verdict in Verdict}, known)


def _verdict(one: AskedCount) -> Verdict:
    if one.state is State.DENIED:
        return Verdict.DENIED
    return Verdict.HELD if one.held else Verdict.LET_THROUGH
