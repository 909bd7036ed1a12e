"""A second crash while the first is being recovered from, at whatever checkpoint comes then."""

import os
from random import Random

import pytest

from tests.crashes.dying import Child, Fault, Place
from tests.crashes.going_on import goes_on, judge_end
from tests.crashes.matrix import MATRIX, Row
from tests.crashes.stage import Stage
from tests.crashes.stories import STORIES

SEED, SAMPLE = 20, 40
SHORTEST, LONGEST = 24, 90
"""How many checkpoints a recovery passes before its request is final, according to its story."""

PAIRS = [(row, times) for row in MATRIX for times in range(1, LONGEST + 1)]
"""Every one of them with CRASH_PAIRS=all in the environment (more than an hour), else a sample that never changes."""
EARLY = [(row, times) for row, times in PAIRS if times <= SHORTEST]
CHOSEN = PAIRS if os.environ.get("CRASH_PAIRS") == "all" else Random(SEED).sample(EARLY, SAMPLE)  # noqa: S311 - no secret


@pytest.mark.parametrize(("row", "times"), CHOSEN, ids=str)
def test_recovery_dies_too_and_the_next_one_ends_it(stage: Stage, row: Row, times: int) -> None:
    """RELIABILITY G4: killed at the row's place, and whoever recovers is killed at its n-th checkpoint."""
    story = STORIES[row.story]
    story.prepare(stage)
    Child(lambda: story.deed(stage), row.place, Fault.KILL).end()
    told = Child(lambda: goes_on(stage, story), Place(None, times), Fault.KILL).end()
    if told.sprung is None:  # it was over before its n-th checkpoint
        assert told.error is None
        assert stage.state() is story.end
    goes_on(stage, story)
    judge_end(stage, story)
