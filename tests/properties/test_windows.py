"""Windows tile time: every moment is in exactly one of them, in every zone, over every change of clocks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.windows import BEGINNING, Span, WindowKind, span_at

zones = st.sampled_from(sorted(available_timezones()))
moments = st.datetimes(datetime(1970, 1, 3), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis adds UTC itself
tiling = st.sampled_from([WindowKind.DAY, WindowKind.MONTH])
QUIRKS = [
    ("America/St_Johns", datetime(2009, 10, 30, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 11, 2, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 2, 16, tzinfo=UTC)),
    ("Africa/Cairo", datetime(2024, 4, 24, tzinfo=UTC)),
    ("Asia/Beirut", datetime(2024, 3, 29, tzinfo=UTC)),
    ("America/Havana", datetime(2024, 11, 2, tzinfo=UTC)),
    ("Asia/Gaza", datetime(2011, 7, 30, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 28, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2024, 4, 5, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 10, 23, tzinfo=UTC)),
    ("Antarctica/Troll", datetime(2024, 3, 29, tzinfo=UTC)),
]
"""Zones and days whose midnight is missing, repeated or crossed twice."""


def _end(span: Span) -> datetime:
    assert span.end is not None
    return span.end


@settings(max_examples=1500, deadline=None)
@given(kind=tiling, zone=zones, now=moments)
def test_a_window_encloses_its_moment_and_touches_its_neighbours(
    kind: WindowKind, zone: str, now: datetime
) -> None:
    span = span_at(kind, zone, None, now)
    assert span.since == span.start <= now < _end(span)
    assert span_at(kind, zone, None, span.start) == span
    assert span_at(kind, zone, None, _end(span) - timedelta(microseconds=1)) == span
    assert span_at(kind, zone, None, _end(span)).start == span.end
    assert span_at(kind, zone, None, span.start - timedelta(microseconds=1)).end == span.start


@pytest.mark.parametrize(("zone", "first"), QUIRKS)
@pytest.mark.parametrize("kind", [WindowKind.DAY, WindowKind.MONTH])
def test_no_minute_is_in_two_windows_or_in_none(kind: WindowKind, zone: str, first: datetime) -> None:
    span = span_at(kind, zone, None, first)
    for minute in range(5 * 24 * 60):
        now = first + timedelta(minutes=minute)
        here = span_at(kind, zone, None, now)
        assert here.start <= now < _end(here)
        assert here == span or here.start == span.end, "a window opened twice, or a gap"
        span = here


@settings(max_examples=600, deadline=None)
@given(zone=zones, now=moments, days=st.integers(1, 366))
def test_a_rolling_window_counts_the_windows_of_that_many_days(zone: str, now: datetime, days: int) -> None:
    span = span_at(WindowKind.ROLLING, zone, days, now)
    today = span_at(WindowKind.DAY, zone, None, now)
    assert (span.start, span.end) == (today.start, today.end)
    counted, oldest = 1, today
    while oldest.start > span.since:
        oldest = span_at(WindowKind.DAY, zone, None, oldest.start - timedelta(microseconds=1))
        counted += 1
    assert oldest.start == span.since, "it begins where a day begins"
    assert days - 1 <= counted <= days, "one less where a whole day never was"


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from([WindowKind.LIFETIME, WindowKind.REQUEST]), zone=zones, now=moments)
def test_what_never_starts_over_is_one_window(kind: WindowKind, zone: str, now: datetime) -> None:
    assert span_at(kind, zone, None, now) == Span(BEGINNING, BEGINNING, None)
