from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest

from governor.domain.windows import BEGINNING, Span, WindowKind, moment, span_at, zone


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _local(text: str, name: str, *, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(name), fold=fold).astimezone(UTC)


#   kind              zone                  now                     its window begins     and ends
SPANS = [
    (WindowKind.DAY,   "UTC",                "2026-11-29T00:00:00", "2026-11-29T00:00", "2026-11-30T00:00"),
    (WindowKind.DAY,   "UTC",                "2026-11-29T23:59:59", "2026-11-29T00:00", "2026-11-30T00:00"),
    (WindowKind.DAY,   "UTC",                "2024-02-29T12:00:00", "2024-02-29T00:00", "2024-03-01T00:00"),
    (WindowKind.DAY,   "UTC",                "2026-12-31T23:59:59", "2026-12-31T00:00", "2027-01-01T00:00"),
    # Scenario 89: one second before and after midnight in Shanghai is 16:00 UTC.
    (WindowKind.DAY,   "Asia/Shanghai",      "2026-11-29T15:59:59", "2026-11-28T16:00", "2026-11-29T16:00"),
    (WindowKind.DAY,   "Asia/Shanghai",      "2026-11-29T16:00:01", "2026-11-29T16:00", "2026-11-30T16:00"),
    # The day the clocks go forward has 23 hours, the one they go back 25.
    (WindowKind.DAY,   "Europe/Berlin",      "2026-03-29T12:00:00", "2026-03-28T23:00", "2026-03-29T22:00"),
    (WindowKind.DAY,   "Europe/Berlin",      "2026-10-25T12:00:00", "2026-10-24T22:00", "2026-10-25T23:00"),
    # Here midnight does not exist: the day begins at 01:00.
    (WindowKind.DAY,   "America/Sao_Paulo",  "2018-11-04T12:00:00", "2018-11-04T03:00", "2018-11-05T02:00"),
    (WindowKind.DAY,   "America/Sao_Paulo",  "2018-11-04T02:59:59", "2018-11-03T03:00", "2018-11-04T03:00"),
    (WindowKind.DAY,   "Asia/Beirut",        "2024-03-31T12:00:00", "2024-03-30T22:00", "2024-03-31T21:00"),
    (WindowKind.DAY,   "Africa/Cairo",       "2024-04-26T12:00:00", "2024-04-25T22:00", "2024-04-26T21:00"),
    # Here the last hour of a day is repeated.
    (WindowKind.DAY,   "America/Sao_Paulo",  "2018-02-18T02:30:00", "2018-02-17T02:00", "2018-02-18T03:00"),
    # Here the clocks showed the new day for a minute, then yesterday for another hour: the new day goes on.
    (WindowKind.DAY,   "America/St_Johns",   "2009-11-01T02:29:59", "2009-10-31T02:30", "2009-11-01T02:30"),
    (WindowKind.DAY,   "America/St_Johns",   "2009-11-01T03:00:00", "2009-11-01T02:30", "2009-11-02T03:30"),
    (WindowKind.MONTH, "America/St_Johns",   "2009-11-01T03:00:00", "2009-11-01T02:30", "2009-12-01T03:30"),
    # Here a whole day does not exist.
    (WindowKind.DAY,   "Pacific/Apia",       "2011-12-30T09:59:59", "2011-12-29T10:00", "2011-12-30T10:00"),
    (WindowKind.DAY,   "Pacific/Apia",       "2011-12-30T10:00:00", "2011-12-30T10:00", "2011-12-31T10:00"),
    (WindowKind.MONTH, "UTC",                "2026-11-30T23:59:59", "2026-11-01T00:00", "2026-12-01T00:00"),
    (WindowKind.MONTH, "UTC",                "2024-02-29T12:00:00", "2024-02-01T00:00", "2024-03-01T00:00"),
    (WindowKind.MONTH, "UTC",                "2026-12-31T23:59:59", "2026-12-01T00:00", "2027-01-01T00:00"),
    (WindowKind.MONTH, "UTC",                "2026-01-31T00:00:00", "2026-01-01T00:00", "2026-02-01T00:00"),
    (WindowKind.MONTH, "Europe/Berlin",      "2026-10-31T22:59:59", "2026-09-30T22:00", "2026-10-31T23:00"),
    (WindowKind.MONTH, "Asia/Shanghai",      "2026-11-30T16:00:00", "2026-11-30T16:00", "2026-12-31T16:00"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "now", "start", "end"), SPANS)
def test_the_window_of_a_moment(kind: WindowKind, name: str, now: str, start: str, end: str) -> None:
    span = span_at(kind, name, None, _utc(now))
    assert span == Span(_utc(start), _utc(start), _utc(end))
    assert span.start.tzinfo is UTC


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)])
def test_a_day_is_one_day_however_many_hours_it_has(day: str, hours: int) -> None:
    span = span_at(WindowKind.DAY, "Europe/Berlin", None, _local(f"{day}T12:00", "Europe/Berlin"))
    assert span.end is not None
    assert span.end - span.start == timedelta(hours=hours)


@pytest.mark.parametrize("fold", [0, 1])
def test_both_passes_of_a_repeated_hour_belong_to_one_day(fold: int) -> None:
    now = _local("2026-10-25T02:30", "Europe/Berlin", fold=fold)
    assert span_at(WindowKind.DAY, "Europe/Berlin", None, now).start == _utc("2026-10-24T22:00")


@pytest.mark.parametrize("kind", [WindowKind.LIFETIME, WindowKind.REQUEST])
def test_what_never_starts_over_has_no_end(kind: WindowKind) -> None:
    assert span_at(kind, "Europe/Berlin", None, _utc("2026-11-29T12:00")) == Span(BEGINNING, BEGINNING, None)


#   days  counts from            (it is noon of 29 November 2026, UTC)
ROLLING = [
    (1,   "2026-11-29T00:00"),
    (2,   "2026-11-28T00:00"),
    (7,   "2026-11-23T00:00"),
    (30,  "2026-10-31T00:00"),
    (366, "2025-11-29T00:00"),
]  # fmt: skip


@pytest.mark.parametrize(("days", "since"), ROLLING)
def test_a_rolling_window_books_into_today_and_counts_whole_days_back(days: int, since: str) -> None:
    span = span_at(WindowKind.ROLLING, "UTC", days, _utc("2026-11-29T12:00"))
    assert span == Span(_utc("2026-11-29T00:00"), _utc(since), _utc("2026-11-30T00:00"))


def test_a_rolling_window_counts_local_days_over_a_change_of_clocks() -> None:
    span = span_at(WindowKind.ROLLING, "Europe/Berlin", 7, _local("2026-10-27T12:00", "Europe/Berlin"))
    assert span.since == _local("2026-10-21T00:00", "Europe/Berlin") == _utc("2026-10-20T22:00")


@pytest.mark.parametrize("name", ["Europe/Atlantis", "", "../etc/passwd"])
def test_a_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises((ZoneInfoNotFoundError, ValueError)):
        zone(name)


@pytest.mark.parametrize(
    ("typed", "at"),
    [
        ("2026-11-30", "2026-11-30T00:00"),
        ("2026-11-30T08:00:00Z", "2026-11-30T08:00"),
        ("2026-11-30T08:00:00+10:00", "2026-11-29T22:00"),
        ("2000-01-01", "2000-01-01T00:00"),
    ],
)
def test_a_moment_is_in_utc_wherever_it_was_said(typed: str, at: str) -> None:
    assert moment(typed) == _utc(at)
    assert moment(typed).tzinfo is UTC


@pytest.mark.parametrize(
    "typed",
    ["soon", "2026-11-30T08:00", "0001-01-01", "0001-01-01T00:00:00+10:00", "9999-12-31T23:00:00-10:00", "2201-01-01"],
)  # fmt: skip
def test_what_is_no_moment_or_one_that_nobody_means_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"zone|year|calendar|isoformat"):
        moment(typed)
