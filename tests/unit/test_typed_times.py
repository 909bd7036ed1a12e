"""What somebody typed for a time, however they write a date."""

from datetime import UTC, datetime

import pytest

from governor.console import typed_times

DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize("day", ["2026-11-30", "20261130", "2026-W49-1", "2026W491"])
def test_a_day_as_an_end_is_there_to_its_end_however_it_is_written(day: str) -> None:
    assert typed_times.begin(day) == datetime(2026, 11, 30, tzinfo=UTC)
    assert typed_times.end(day) == DECEMBER
    assert typed_times.spelled_end(day) == DECEMBER.isoformat()


def test_a_time_as_an_end_is_that_time() -> None:
    for typed in ("2026-12-01T00:00:00Z", "2026-12-01T01:00:00+01:00"):
        assert typed_times.begin(typed) == typed_times.end(typed) == DECEMBER
        assert typed_times.spelled_end(typed) == typed
    assert typed_times.spelled_end("tomorrow") == "tomorrow"
    with pytest.raises(ValueError, match="like 2026-11-30"):
        typed_times.end("tomorrow")
