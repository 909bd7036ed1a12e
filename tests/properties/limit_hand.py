"""What was said of limits, kept by hand: a second book beside the series that decisions look at."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from governor.domain.errors import Conflict
from governor.domain.limits import Limit

FAR = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass
class Word:
    """One thing that was said of a limit, by hand."""

    id: str
    cap: int
    begins: datetime
    ends: datetime
    counts: bool


@dataclass
class Hand:
    """One limit by hand: what was said of it, in the order in which it came to count."""

    limit: Limit
    words: list[Word] = field(default_factory=list)

    def cap(self, at: datetime, but: Word | None = None) -> int:
        """Of those that have begun and are not over, the one that began last; of these, the newest."""
        said = [one for one in self.words if one.counts and one is not but and one.begins <= at < one.ends]
        return max(enumerate(said), key=lambda pair: (pair[1].begins, pair[0]))[1].cap

    def moments(self, now: datetime) -> list[datetime]:
        """Now, and whenever from now on something begins or ends."""
        return [now, *(at for one in self.words for at in (one.begins, one.ends) if now < at < FAR)]


REFUSALS = ("limit_change_not_pending", "limit_change_overtaken", "withdrawal_raises")


@contextmanager
def refused_with(*codes: str) -> Iterator[list[str]]:
    """What is done within may be refused for one of these reasons; the one that it was is kept."""
    found: list[str] = []
    try:
        yield found
    except Conflict as refusal:
        found.append(refusal.code)
    assert set(found) <= set(codes)
