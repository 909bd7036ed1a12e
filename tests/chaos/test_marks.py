from typing import Any

import pytest

from governor.chaos.marks import LONG_SECONDS, missed
from governor.chaos.storm import Report, is_right

FIGURES = ("lost", "double", "unexplained", "broken", "over", "unresolved", "missed")


def report(**figures: Any) -> Report:
    told: Any = dict.fromkeys(FIGURES, 0) | {"fsck": "clean"} | figures
    found: Report = told
    return found


@pytest.mark.parametrize("figure", FIGURES)
def test_one_of_anything_that_must_not_be_makes_a_storm_fail(figure: str) -> None:
    assert is_right(report())
    assert not is_right(report(**{figure: 1}))


def test_books_that_are_broken_make_a_storm_fail() -> None:
    assert not is_right(report(fsck="broken"))


def test_a_long_storm_misses_what_it_has_not_met_and_a_short_one_proves_nothing_about_that() -> None:
    unmet = missed({}, LONG_SECONDS)
    assert {"overrun", "lease_lost", "vote", "evidence_could_not_be_recorded"} <= set(unmet)
    assert missed({}, LONG_SECONDS - 1) == []
    assert missed(dict.fromkeys(unmet, 1), LONG_SECONDS) == []
    assert missed({**dict.fromkeys(unmet, 1), "vote": 0}, LONG_SECONDS) == ["vote"]
