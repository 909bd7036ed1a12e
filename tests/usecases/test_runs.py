"""Long work is asked for, left and come back to: by whom, and what is kept of it."""

import hashlib
from datetime import timedelta

import pytest
from sqlalchemy import text

from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound
from governor.domain.runs import KEPT, MOST_UNFINISHED, Progress, RunState
from governor.usecases.callers import host
from governor.usecases.carrying import PART_BYTES
from tests.usecases.long_work import CONTENT, Place, told


def test_a_run_waits_is_carried_out_and_has_one_result(place: Place) -> None:
    asked = place.begin(word="x")
    assert (asked.state, asked.progress) == (RunState.WAITING, Progress())
    assert place.look(asked) == asked
    done = place.carry_out()
    assert done is not None
    assert place.look(asked) == done
    assert (done.state, done.summary, done.tries) == (RunState.DONE, {"counted": 1}, 1)
    assert done.progress == Progress("counting", 2, 2)
    assert [(file.name, file.media_type, file.size, file.sha256) for file in done.files] == [
        ("lines.txt", "text/plain", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    ]
    assert place.taken(asked) == CONTENT
    assert place.work.carried[0][1]["word"] == "x"
    assert place.work.carried[0][0].credential == place.operator.credential
    assert told(place, asked) == ["run.asked", "run.ended"]
    assert place.carry_out() is None


def test_a_file_of_many_parts_comes_back_whole(place: Place) -> None:
    place.work.content = bytes(range(256)) * (PART_BYTES // 100)
    run = place.begin()
    place.carry_out()
    assert place.taken(run) == place.work.content


def test_the_same_key_asks_once(place: Place) -> None:
    first, again = place.used.runs.begin(place.operator, "counting", {"n": 1}, "run-key-1")
    assert not again
    assert place.used.runs.begin(place.operator, "counting", {"n": 1}, "run-key-1") == (first, True)
    with pytest.raises(Invalid) as refused:
        place.used.runs.begin(place.operator, "counting", {"n": 2}, "run-key-1")
    assert refused.value.code == "idempotency_key_reused"
    assert place.used.runs.listed(place.operator, at_most=10) == (first,)


def test_a_kind_that_nobody_knows_is_refused(place: Place) -> None:
    with pytest.raises(Invalid) as refused:
        place.begin(kind="guessing")
    assert [(one.pointer, one.code) for one in refused.value.errors] == [("/kind", "run_kind_unknown")]


@pytest.mark.parametrize("role", [Role.AGENT, Role.APPROVER])
def test_who_may_not_ask_sees_nothing_either(place: Place, role: Role) -> None:
    other = place.world.caller(role, "other", kind=Kind.HUMAN)
    run = place.begin()
    with pytest.raises(Forbidden):
        place.begin(other)
    assert place.used.runs.listed(other, at_most=10) == ()
    for refused in (
        lambda: place.used.runs.look(other, run.id),
        lambda: place.used.runs.cancel(other, run.id),
        lambda: place.used.runs.content(other, run.id, "lines.txt"),
    ):
        with pytest.raises(NotFound) as error:
            refused()
        assert error.value.code == "run_not_found"


def test_another_environment_knows_nothing_of_it(place: Place) -> None:
    run, elsewhere = place.begin(), host("elsewhere")
    with pytest.raises(NotFound):
        place.used.runs.look(elsewhere, run.id)
    assert place.used.runs.listed(elsewhere, at_most=10) == ()


def test_nobody_has_more_than_a_few_waiting(place: Place) -> None:
    for _ in range(MOST_UNFINISHED):
        place.begin()
    with pytest.raises(Conflict) as refused:
        place.begin()
    assert refused.value.code == "too_many_runs"
    place.begin(place.auditor)
    place.carry_out()
    place.begin()


def test_a_list_is_newest_first_in_pages_and_of_one_kind(place: Place) -> None:
    runs = [place.begin(kind=kind) for kind in ("counting", "other", "counting")]
    listed = place.used.runs.listed(place.auditor, at_most=2)
    assert [run.id for run in listed] == [runs[2].id, runs[1].id]
    assert place.used.runs.listed(place.auditor, after=listed[-1].id, at_most=2) == (runs[0],)
    assert place.used.runs.listed(place.auditor, kind="other", at_most=10) == (runs[1],)


def test_what_waits_is_canceled_at_once(place: Place) -> None:
    run = place.begin(place.auditor)
    assert place.used.runs.cancel(place.operator, run.id).state is RunState.CANCELED
    assert place.carry_out() is None
    assert place.used.runs.cancel(place.auditor, run.id).state is RunState.CANCELED
    assert told(place, run) == ["run.asked", "run.cancel_requested"]


def test_only_its_person_and_operators_cancel_a_run_and_only_before_its_end(place: Place) -> None:
    run = place.begin()
    with pytest.raises(Forbidden):
        place.used.runs.cancel(place.auditor, run.id)
    place.carry_out()
    with pytest.raises(Conflict) as refused:
        place.used.runs.cancel(place.operator, run.id)
    assert refused.value.code == "run_ended"


def test_what_is_over_for_long_is_forgotten_with_its_files(place: Place) -> None:
    old, waiting = place.begin(), place.begin(kind="other")
    place.carry_out()
    assert place.used.tidy() == 0
    place.world.advance((KEPT + timedelta(hours=1)).total_seconds())
    assert place.used.tidy() == 1
    assert place.used.runs.listed(place.operator, at_most=10) == (waiting,)
    with pytest.raises(NotFound):
        place.look(old)
    with place.world.app.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM run_files")) == 0


def test_beyond_what_all_may_take_the_oldest_files_go_first(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.sql.runs.MOST_STORED_BY_ALL", 40)
    old, new = place.begin(), place.begin()
    place.carry_out()
    place.carry_out()
    place.used.tidy()
    assert place.look(old).files_removed_at is not None
    assert place.look(old).summary == {"counted": 1}
    with pytest.raises(NotFound) as gone:
        place.taken(old)
    assert gone.value.code == "run_file_not_found"
    assert place.taken(new) == CONTENT
