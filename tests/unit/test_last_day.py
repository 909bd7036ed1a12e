from datetime import UTC, datetime, timedelta

from governor.console.steer.last_day import day_chart
from governor.domain.last_day import HOURS, AskedCount, begins_at, last_day
from governor.domain.lifecycle import State
from governor.domain.replay_of_past import Verdict

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)
THIS, HOUR = datetime(2026, 11, 30, 12, tzinfo=UTC), timedelta(hours=1)


def test_every_hour_is_there_and_the_present_one_is_last() -> None:
    day = last_day([AskedCount(THIS, State.QUEUED, held=False, count=2)], NOW, is_whole=True)
    assert list(day.hours) == [THIS - number * HOUR for number in reversed(range(HOURS))]
    assert begins_at(NOW) == next(iter(day.hours)) == day.known_since
    assert [dict(counts) for counts in day.hours.values() if counts] == [{State.QUEUED: 2}]
    assert day.is_whole


def test_who_was_held_counts_as_held_whatever_became_of_it() -> None:
    counts = [
        AskedCount(THIS, State.SUCCEEDED, held=False, count=1),
        AskedCount(THIS, State.SUCCEEDED, held=True, count=2),
        AskedCount(THIS - HOUR, State.REJECTED, held=True, count=4),
        AskedCount(THIS - HOUR, State.DENIED, held=False, count=8),
    ]
    day = last_day(counts, NOW, is_whole=True)
    assert day.verdicts == {Verdict.LET_THROUGH: 1, Verdict.HELD: 6, Verdict.DENIED: 8}
    assert day.total == 15
    assert day.hours[THIS] == {State.SUCCEEDED: 3}


def test_of_a_busy_day_the_hour_in_which_counting_stopped_is_not_known() -> None:
    counts = [AskedCount(THIS - number * HOUR, State.SUCCEEDED, held=False, count=1) for number in range(3)]
    day = last_day(counts, NOW, is_whole=False)
    assert (day.is_whole, day.known_since) == (False, THIS - HOUR)
    assert [day.is_known(hour) for hour in day.hours][-4:] == [False, False, True, True]


def test_of_an_hour_that_is_too_busy_to_count_nothing_is_drawn() -> None:
    day = last_day([AskedCount(THIS, State.SUCCEEDED, held=False, count=9)], NOW, is_whole=False)
    assert (day.is_whole, day.total) == (False, 9)
    assert day_chart(day).is_empty


def test_what_comes_from_a_clock_that_was_set_back_is_shown_as_of_now() -> None:
    day = last_day([AskedCount(THIS + 5 * HOUR, State.QUEUED, held=False, count=1)], NOW, is_whole=True)
    assert day.hours[THIS] == {State.QUEUED: 1}


def test_a_day_without_requests_is_known_and_empty() -> None:
    day = last_day([], NOW, is_whole=True)
    assert (day.total, len(day.hours)) == (0, HOURS)
