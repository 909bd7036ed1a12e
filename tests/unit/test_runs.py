"""The life of a run, written a second time by hand."""

from datetime import timedelta

import pytest

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Conflict, InvariantBroken
from governor.domain.runs import MOST_SUMMARY, MOVES, UNFINISHED, Run, RunEvent, RunFile, RunState
from tests.unit.values import NOON as NOW

TABLE = """
    begin      waiting  running
    begin      running  running
    cancel     waiting  canceled
    cancel     running  canceled
    put_back   running  waiting
    finish     running  done
    fail       running  failed
    interrupt  running  interrupted
"""


def a_run(state: RunState = RunState.WAITING) -> Run:
    due = NOW if state in UNFINISHED else None
    return Run("run_1", "test", "reconcile", {}, state, "cred_1", "ana", NOW, due)


def test_the_moves_are_these_and_no_others() -> None:
    written = {tuple(line.split()) for line in TABLE.strip().splitlines()}
    assert written == {(event.value, before.value, after.value) for (before, event), after in MOVES.items()}


def test_nothing_moves_what_has_ended() -> None:
    for state in set(RunState) - UNFINISHED:
        for event in RunEvent:
            with pytest.raises(Conflict) as refused:
                a_run(state).moved(event)
            assert refused.value.code == "run_ended"


def test_what_waits_is_canceled_at_once_and_what_runs_at_its_next_step() -> None:
    waiting = a_run().canceled(NOW)
    assert (waiting.state, waiting.ended_at, waiting.due_at) == (RunState.CANCELED, NOW, None)
    running = a_run(RunState.RUNNING).canceled(NOW)
    assert (running.state, running.cancel_requested_at, running.ended_at) == (RunState.RUNNING, NOW, None)
    later = NOW + timedelta(seconds=5)
    assert running.canceled(later).cancel_requested_at == NOW


def test_an_end_has_its_result_and_no_lease() -> None:
    file = RunFile("lines.csv", "text/csv", 3, "0" * 64)
    done = a_run(RunState.RUNNING).ended(RunEvent.FINISH, NOW, summary={"lines": 1}, files=(file,))
    assert (done.state, done.due_at, done.ended_at) == (RunState.DONE, None, NOW)
    assert (done.summary, done.files, done.reason) == ({"lines": 1}, (file,), None)


def test_a_summary_that_is_none_breaks_a_promise() -> None:
    with pytest.raises(InvariantBroken):
        a_run(RunState.RUNNING).ended(RunEvent.FINISH, NOW, summary={"text": "x" * MOST_SUMMARY})


@pytest.mark.parametrize(
    ("role", "owner", "sees"),
    [
        (Role.OPERATOR, "ben", True),
        (Role.AUDITOR, "ben", True),
        (Role.APPROVER, "ben", False),
        (Role.AGENT, "ben", False),
        (Role.AGENT, "ana", False),
    ],
)
def test_a_run_is_seen_by_whoever_oversees_and_by_no_other_key_of_its_person(
    role: Role, owner: str, *, sees: bool
) -> None:
    key = Credential("cred_2", "test", "x", role, Kind.HUMAN, owner, "x", None, NOW, None, None)
    assert a_run().seen_by(key) is sees


def test_a_run_is_seen_by_the_key_that_asked_for_it() -> None:
    run = a_run()
    key = Credential(run.asked_by, "test", "x", Role.AGENT, Kind.HUMAN, "ben", "x", None, NOW, None, None)
    assert run.seen_by(key) is True
