"""T38: no text makes a pattern work longer than its length is worth. Work is counted, not waited for."""

import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.security.patterns import Look, hard_texts, pattern_of, patterns

ROOT = Path(__file__).resolve().parents[2]
GROWTH = 4
LONG = 8 * 1024
"""The square of it takes tens of milliseconds; as many steps as characters, a fraction of one."""
WORTH_COUNTING_SECONDS = 0.003
LINEAR = GROWTH * 2.2
"""Four times the text may take a little more than four times the work; sixteen times is a square."""

OUR_OWN_FILES = ("governor/console/assets.py",)
"""What these read comes with governor, and with nobody's request."""


@cache
def known() -> dict[str, Look]:
    return dict(patterns(ROOT))


def work(look: Look, text: Any, *, times: int = 1) -> float:
    """The processor's time of this thread alone, so that a crowded machine counts for nothing; the least of some."""
    spent = []
    for _ in range(times):
        begun = time.thread_time()
        look(text)
        spent.append(time.thread_time() - begun)
    return min(spent)


def grows_faster_than_the_text(look: Look) -> Any:
    """The beginning of a text whose length the work outgrows; None when there is none."""
    for less, more in zip(hard_texts(look, LONG // GROWTH), hard_texts(look, LONG), strict=True):
        if work(look, more) > WORTH_COUNTING_SECONDS:
            long = work(look, more, times=3)
            if long > WORTH_COUNTING_SECONDS and long > LINEAR * work(look, less, times=3):
                return more[:20]
    return None


def test_every_pattern_is_found() -> None:
    assert len(known()) > 60


@pytest.mark.parametrize("where", sorted(one for one in known() if not one.startswith(OUR_OWN_FILES)))
def test_no_text_makes_a_pattern_work_longer_than_its_length_is_worth(where: str) -> None:
    look = known()[where]
    assert grows_faster_than_the_text(look) is None, pattern_of(look).pattern


@pytest.mark.parametrize("bad", [r"[\w.+-]+@[a-z]+\.com", r"\s+x", r"(a|b)*c"])
def test_a_pattern_that_begins_again_and_again_is_found(bad: str) -> None:
    assert grows_faster_than_the_text(re.compile(bad).search) is not None
