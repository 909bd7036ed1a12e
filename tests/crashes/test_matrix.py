"""Every place where a process can die: what is left is whole, and life goes on to the end it would have had."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import files, short
from tests.crashes.dying import Child, Fault
from tests.crashes.going_on import goes_on, judge_end
from tests.crashes.matrix import MATRIX, Row
from tests.crashes.stage import LEASE_OVER, Stage
from tests.crashes.stories import STORIES


def _names_in_the_source() -> Iterator[str]:
    for path in files(".py"):
        if short(path).startswith("tests/") or short(path) == "governor/checkpoint.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "checkpoint":
                (name,) = node.args
                assert isinstance(name, ast.Constant), (
                    f"{short(path)}: a checkpoint's name is a word, not reckoned"
                )
                yield str(name.value)


def test_every_checkpoint_in_the_source_is_a_place_to_die() -> None:
    names = list(_names_in_the_source())
    assert len(names) > 30, "the search for checkpoints finds nothing"
    assert sorted(names) == sorted(set(names)), "a name is one place"
    assert set(names) == {row.place.name for row in MATRIX}


def test_the_page_names_every_checkpoint_and_no_other(project_root: Path) -> None:
    page = (project_root / "docs" / "reliability.md").read_text(encoding="utf-8")
    table = page.partition("## Crash matrix")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z_]+\.[a-z_]+)`", table)) - {"what.moment"} == set(_names_in_the_source())


@pytest.mark.parametrize("fault", [Fault.KILL, Fault.THROW], ids=str)
@pytest.mark.parametrize("row", MATRIX, ids=str)
def test_a_process_dies_there_and_nothing_is_lost_or_doubled(stage: Stage, row: Row, fault: Fault) -> None:
    """RELIABILITY §3, the row in the test's name: killed, or broken by an exception that nobody thought of.

    Case 33: a state and the counters it moves are written together or not at all, so no death leaks a hold.
    """
    story = STORIES[row.story]
    story.prepare(stage)
    told = Child(lambda: story.deed(stage), row.place, fault).end()
    assert told.sprung is not None, f"{row.place} was never reached: {told}"
    assert stage.state() == row.left(fault)
    goes_on(stage, story)
    judge_end(stage, story)


@pytest.mark.parametrize("row", MATRIX, ids=str)
def test_a_process_stops_there_and_wakes_when_all_is_over(stage: Stage, row: Row) -> None:
    """The same rows: stopped past its lease with all it holds; others have done its work. It sends nothing."""
    story = STORIES[row.story]
    story.prepare(stage)
    child = Child(lambda: story.deed(stage), row.place, Fault.STOP)
    try:
        child.until_stopped()
        stage.end_idle_sessions()
        stage.world.advance(stage.offset() + LEASE_OVER)
        goes_on(stage, story)
        sent = stage.sent()
    finally:
        child.wake()
    assert stage.sent() == sent, "it sent what others had sent long ago"
    assert stage.state() is story.end
    judge_end(stage, story)
