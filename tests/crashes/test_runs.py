"""Whoever carries out a run dies, anywhere: another process carries it out, and it has ended once."""

import pytest

from governor.checkpoint import checkpoint
from governor.domain.runs import Run, RunState
from governor.usecases.carrying import Carried
from tests.crashes.dying import Child, Fault, Place
from tests.crashes.stage import LEASE_OVER, Stage
from tests.usecases.long_work import CONTENT, Counting, at_work, never

MIDDLE = "run.middle"
"""A place in the work itself: one file is written, and not all is done."""


def _in_the_middle(_: Carried) -> None:
    checkpoint(MIDDLE)


def _stands(stage: Stage, run: Run) -> Run:
    return stage.world.app.long_work.runs.look(stage.world.operator, run.id)


def _ends(stage: Stage, run: Run) -> int:
    with stage.world.app.store.reading() as reads:
        rows = reads.audit(stage.world.environment, after=0, at_most=1000)
    return sum((row.entry.object, row.entry.action) == (run.id, "run.ended") for row in rows)


@pytest.mark.parametrize(
    ("place", "fault", "left"),
    [
        (Place("store.written"), Fault.KILL, RunState.RUNNING),
        (Place("store.committed"), Fault.KILL, RunState.RUNNING),
        (Place(MIDDLE), Fault.KILL, RunState.RUNNING),
        (Place("store.written", 2), Fault.KILL, RunState.RUNNING),
        (Place("store.committed", 2), Fault.KILL, RunState.DONE),
        (Place("store.written"), Fault.THROW, RunState.RUNNING),
        (Place("store.written", 2), Fault.THROW, RunState.RUNNING),
        (Place("store.committed", 2), Fault.THROW, RunState.DONE),
        # Whoever can still say so, says that it failed.
        (Place(MIDDLE), Fault.THROW, RunState.FAILED),
    ],
    ids=str,
)
def test_a_run_whose_process_dies_is_carried_out_once_all_the_same(
    stage: Stage, place: Place, fault: Fault, left: RunState
) -> None:
    """Case 20's kind: what a dead process held is not held for ever."""
    app, operator = stage.world.app, stage.world.operator
    used = at_work(app, Counting(meanwhile=_in_the_middle))
    run, _ = used.runs.begin(operator, "counting", {}, "crash-run-1")
    told = Child(lambda: used.carry_out(never), place, fault).end()
    assert told.sprung is not None
    assert _stands(stage, run).state is left
    stage.world.advance(LEASE_OVER)
    used.carry_out(never)
    ended = _stands(stage, run)
    assert _ends(stage, run) == 1
    if left is RunState.FAILED:
        assert (ended.reason, ended.files) == ("internal_error", ())
        return
    assert (ended.state, ended.tries) == (RunState.DONE, 1 if left is RunState.DONE else 2)
    assert b"".join(used.runs.content(operator, run.id, "lines.txt")[1]) == CONTENT
