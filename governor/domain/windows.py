"""When a limit's usage starts over. A window is computed in the limit's own time zone, stored in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo


class WindowKind(StrEnum):
    """`request` judges each request alone; `lifetime` never starts over; `rolling` sums whole days."""

    REQUEST = "request"
    DAY = "day"
    MONTH = "month"
    ROLLING = "rolling"
    LIFETIME = "lifetime"


MAX_ROLLING_DAYS = 366
_YEARS = range(2000, 2201)
"""The years of the moments that people name."""
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
"""The start of every `lifetime` window."""


@dataclass(frozen=True)
class Span:
    """One window: `start` is the counter's key; usage counts from `since` on; it frees at `end` (UTC).

    For day and month windows `since == start`. A rolling window books into today's counter (`start`)
    and counts the day counters from `since` on; `end` is when its oldest day falls out.
    """

    start: datetime
    since: datetime
    end: datetime | None


@lru_cache(maxsize=512)
def zone(name: str) -> ZoneInfo:
    """The IANA time zone of that name.

    Raises:
        ZoneInfoNotFoundError or ValueError: there is none.
    """
    return ZoneInfo(name)


def _midnight(day: date, tz: ZoneInfo) -> datetime:
    """The first instant of a local day in UTC. Where midnight does not exist, `fold` gives the jump."""
    return datetime.combine(day, time.min, tzinfo=tz).astimezone(UTC)


def _day_of(now: datetime, tz: ZoneInfo) -> date:
    """The local day whose midnights enclose `now`.

    Clocks that go back over midnight (St. John's until 2011: 00:01 became 23:01) show yesterday's date
    again after the new day has begun; the new day goes on, so that no window opens twice.
    """
    shown = now.astimezone(tz).date()
    tomorrow = shown + timedelta(days=1)
    return tomorrow if now >= _midnight(tomorrow, tz) else shown


@lru_cache(maxsize=4096)
def span_at(kind: WindowKind, time_zone: str, days: int | None, now: datetime) -> Span:
    """The window that `now` (UTC) falls into. A day with 23 or 25 hours is one day."""
    if kind in {WindowKind.LIFETIME, WindowKind.REQUEST}:
        return Span(BEGINNING, BEGINNING, None)
    tz = zone(time_zone)
    today = _day_of(now, tz)
    if kind is WindowKind.MONTH:
        first = today.replace(day=1)
        following = (first + timedelta(days=32)).replace(day=1)
        start = _midnight(first, tz)
        return Span(start, start, _midnight(following, tz))
    start, tomorrow = _midnight(today, tz), _midnight(today + timedelta(days=1), tz)
    if kind is WindowKind.DAY:
        return Span(start, start, tomorrow)
    return Span(start, _midnight(today - timedelta(days=(days or 1) - 1), tz), tomorrow)


def moment(text: str) -> datetime:
    """A date (its first instant in UTC), or an RFC 3339 time with its zone; in UTC, wherever it was said.

    Raises:
        ValueError: neither, a time that does not say its zone, or one before the year 2000 or after 2200: nobody means
            it, and a span away from it may be no time at all.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None and len(text) > len("2026-11-29"):
        raise ValueError("a time says its zone")
    try:
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("no calendar has this time") from error
    if at.year not in _YEARS:
        raise ValueError("nobody means this year")
    return at
