"""How the provider does, by what the books have of it: its answers, its events, and how far its lists were walked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.outcome import Outcome

MANY_PERCENT = 5
"""More of the last calls without proof than this is a matter of its own, and not of each refund alone."""
FEWEST_CALLS = 10
"""Before so many calls nothing is said of how many go wrong."""

LATE = 3
"""How many times its interval a walk may be ago: one may fail, and one may be under way."""

WEBHOOK_TAKES = timedelta(minutes=15)
"""How long after a refund its webhook may take to come, where webhooks have come before."""


@dataclass(frozen=True)
class CallCount:
    """Refund calls that ended alike: what they prove and why, how many there were, and the last of them (UTC)."""

    outcome: Outcome
    reason: str
    count: int
    last_at: datetime


@dataclass(frozen=True)
class Calls:
    """The last refund calls of a day; there are `total` of them, the first at `since` (UTC)."""

    counts: tuple[CallCount, ...]
    since: datetime | None

    @property
    def total(self) -> int:
        """How many calls."""
        return sum(one.count for one in self.counts)

    def of(self, outcome: Outcome) -> int:
        """How many of them prove this."""
        return sum(one.count for one in self.counts if one.outcome is outcome)

    @property
    def answered_at(self) -> datetime | None:
        """When the provider last gave an answer that proves anything (UTC)."""
        return _last(one.last_at for one in self.counts if one.outcome is not Outcome.UNKNOWN)

    @property
    def refunded_at(self) -> datetime | None:
        """When it last took a refund (UTC)."""
        return _last(one.last_at for one in self.counts if one.outcome is Outcome.ACCEPTED)

    @property
    def silent(self) -> bool:
        """Whether nothing was proven since the last call without proof: it may go on as it is."""
        unproven = _last(one.last_at for one in self.counts if one.outcome is Outcome.UNKNOWN)
        answered = self.answered_at
        return unproven is not None and (answered is None or answered < unproven)

    @property
    def many_unproven(self) -> bool:
        """Whether so many calls end without proof that something is the matter with the provider, or the way there."""
        return self.total >= FEWEST_CALLS and self.of(Outcome.UNKNOWN) * 100 > MANY_PERCENT * self.total


@dataclass(frozen=True)
class WalkSeen:
    """One of the provider's lists: when the last walk began that came to its end (UTC); None when none did."""

    list: str
    walked_at: datetime | None
    is_late: bool


@dataclass(frozen=True)
class Unread:
    """Events that stay unread after several tries, and since when (UTC) the oldest is here."""

    count: int
    since: datetime | None


@dataclass(frozen=True)
class ProviderHealth:
    """Everything that is known without asking the provider. `webhook_at`: when its last webhook came (UTC)."""

    calls: Calls
    walks: tuple[WalkSeen, ...]
    unread: Unread
    webhook_at: datetime | None
    at: datetime

    @property
    def webhooks_fail(self) -> bool:
        """Whether webhooks came before, and none has come for the last refund."""
        refunded = self.calls.refunded_at
        if self.webhook_at is None or refunded is None:
            return False
        return self.webhook_at < refunded < self.at - WEBHOOK_TAKES


def is_late(now: datetime, last: datetime, interval: timedelta) -> bool:
    """Whether a list that is walked once in an interval was walked last too long ago."""
    return now - last > LATE * interval


def _last(moments: Iterable[datetime]) -> datetime | None:
    return max(moments, default=None)
