"""Whoever carries out a run may die, sleep, stop or be told to leave it: it has one result, or says why it has none."""

from threading import Event

import pytest

from adapters.sql.runs import SqlRuns
from governor.domain.errors import Invalid, NotFound, Unavailable
from governor.domain.runs import MOST_TRIES, Progress, Run, RunState
from governor.usecases.carrying import Carried
from tests.stack import PATIENCE_SECONDS, eventually
from tests.unit.threads import started
from tests.usecases.long_work import CONTENT, Counting, Place, at_work, never, told
from workers import runner


def test_of_one_kind_one_runs_at_a_time(place: Place) -> None:
    first, second, other = place.begin(), place.begin(), place.begin(kind="other")
    seen: list[Run | None] = []
    place.work.meanwhile = lambda _: seen.append(at_work(place.world.app, Counting()).carry_out(never))
    place.carry_out()
    assert [run.id for run in seen if run] == [other.id]
    assert place.look(second).state is RunState.WAITING
    assert place.look(first).state is RunState.DONE


def _goes_on_until_it_is_told(carried: Carried) -> None:
    def never() -> bool:
        carried.at("going on")
        return False

    eventually(never)


def test_of_many_runners_that_come_at_once_one_begins_it(place: Place) -> None:
    """Also where several runs of the kind wait: the database lets one of them run."""
    waiting = {place.begin(caller).id for caller in (place.operator, place.auditor) for _ in range(2)}
    runs = SqlRuns(place.world.app.engine, place.world.app.store)
    claims = [started(runs.claim, ["counting"]) for _ in range(6)]
    claimed = [run for run in (claim.result(PATIENCE_SECONDS) for claim in claims) if run is not None]
    assert len(claimed) == 1
    assert claimed[0].id in waiting


def test_what_runs_is_canceled_at_its_next_step_and_leaves_no_file(place: Place) -> None:
    run = place.begin()

    def canceled(carried: Carried) -> None:
        place.used.runs.cancel(place.operator, run.id)
        _goes_on_until_it_is_told(carried)

    place.work.meanwhile = canceled
    ended = place.carry_out()
    assert ended is not None
    assert (ended.state, ended.files, ended.summary) == (RunState.CANCELED, (), None)
    assert ended.progress.step == "going on"
    with pytest.raises(NotFound) as gone:
        place.taken(run)
    assert gone.value.code == "run_file_not_found"
    assert told(place, run) == ["run.asked", "run.cancel_requested", "run.ended"]


def test_how_far_it_is_can_be_seen_while_it_runs(place: Place) -> None:
    run, go_on = place.begin(), Event()

    def waits(_: Carried) -> None:
        assert go_on.wait(PATIENCE_SECONDS)

    place.work.meanwhile = waits
    carrying = started(place.carry_out)
    eventually(lambda: place.look(run).progress == Progress("counting", 1, 2))
    assert place.look(run).state is RunState.RUNNING
    go_on.set()
    carrying.result(PATIENCE_SECONDS)
    assert place.look(run).state is RunState.DONE


def test_a_process_that_stops_gives_it_back_and_another_begins_anew(place: Place) -> None:
    run, stopping = place.begin(), Event()
    place.work.meanwhile = lambda _: stopping.set()
    left = place.used.carry_out(stopping.is_set)
    assert left is not None
    assert (left.state, place.look(run).state) == (RunState.WAITING, RunState.WAITING)
    place.work.meanwhile = lambda _: None
    done = place.carry_out()
    assert done is not None
    assert (done.id, done.state, done.tries, place.taken(run)) == (run.id, RunState.DONE, 2, CONTENT)


def test_a_run_that_is_given_back_and_no_longer_wanted_ends_at_once(place: Place) -> None:
    run, stopping = place.begin(), Event()

    def canceled_then_told_to_stop(_: Carried) -> None:
        place.used.runs.cancel(place.operator, run.id)
        stopping.set()

    place.work.meanwhile = canceled_then_told_to_stop
    place.used.carry_out(stopping.is_set)
    assert place.look(run).state is RunState.WAITING
    assert place.used.runs.cancel(place.operator, run.id).state is RunState.CANCELED
    assert place.carry_out() is None


def test_a_runner_goes_on_after_what_nobody_thought_of_and_stops_when_it_is_told(place: Place) -> None:
    first, second, stop = place.begin(), place.begin(), Event()

    def broken_then_told_to_stop(carried: Carried) -> None:
        if len(place.work.carried) == 1:
            raise RuntimeError("a fault")
        stop.set()
        _goes_on_until_it_is_told(carried)

    place.work.meanwhile = broken_then_told_to_stop
    runner.run(place.used.carry_out, stop)
    assert (place.look(first).state, place.look(second).state) == (RunState.FAILED, RunState.WAITING)


def test_a_process_that_said_nothing_for_long_loses_it_and_can_write_no_more(place: Place) -> None:
    """Its lease ran out while it slept; what it says afterwards changes nothing of the other's result."""
    run = place.begin()
    second = Counting(content=b"of the second")

    def overtaken(carried: Carried) -> None:
        place.world.advance(61)
        done = at_work(place.world.app, second).carry_out(never)
        assert done is not None
        assert (done.id, done.tries) == (run.id, 2)
        carried.write("late.txt", "text/plain", [b"too late"])
        pytest.fail("what lost its lease has written")

    place.work.meanwhile = overtaken
    left = place.carry_out()
    assert left is not None
    assert left.tries == 1
    standing = place.look(run)
    assert (standing.state, standing.tries, [file.name for file in standing.files]) == (
        RunState.DONE,
        2,
        ["lines.txt"],
    )
    assert place.taken(run) == b"of the second"
    assert told(place, run) == ["run.asked", "run.ended"]


def test_what_processes_die_of_again_and_again_ends_interrupted(place: Place) -> None:
    run = place.begin()
    runs = SqlRuns(place.world.app.engine, place.world.app.store)
    for tries in range(1, MOST_TRIES + 1):
        claimed = runs.claim(["counting"])
        assert claimed is not None
        assert claimed.tries == tries
        place.world.advance(61 * tries)
    ended = place.carry_out()
    assert ended is not None
    assert ended == place.look(run)
    assert (ended.state, ended.reason) == (RunState.INTERRUPTED, "too_many_tries")
    assert place.work.carried == []


def test_whoever_asked_must_still_be_there_when_it_is_carried_out(place: Place) -> None:
    run = place.begin(place.auditor)
    place.world.app.manage_credentials.revoke(place.operator, place.auditor.credential.id)
    place.carry_out()
    ended = place.look(run)
    assert (ended.state, ended.reason, place.work.carried) == (RunState.FAILED, "credential_invalid", [])


def test_what_is_refused_in_the_middle_fails_with_its_code(place: Place) -> None:
    def refused(_: Carried) -> None:
        raise Invalid("report_too_long", "ask for less")

    run, place.work.meanwhile = place.begin(), refused
    place.carry_out()
    ended = place.look(run)
    assert (ended.state, ended.reason, ended.files) == (RunState.FAILED, "report_too_long", ())


def test_what_nobody_thought_of_fails_and_is_told_to_whoever_watches(place: Place) -> None:
    def broken(_: Carried) -> None:
        raise RuntimeError("a fault")

    run, place.work.meanwhile = place.begin(), broken
    with pytest.raises(RuntimeError):
        place.carry_out()
    assert (place.look(run).state, place.look(run).reason) == (RunState.FAILED, "internal_error")


def test_what_was_away_is_tried_again_later_and_not_for_ever(place: Place) -> None:
    def away(_: Carried) -> None:
        raise Unavailable("payment_facts_unavailable", "the provider is away")

    run, place.work.meanwhile = place.begin(), away
    for tries in range(1, MOST_TRIES):
        left = place.carry_out()
        assert left is not None
        assert (left.state, place.carry_out()) == (RunState.WAITING, None)
        place.world.advance(1000 * tries)
    place.carry_out()
    ended = place.look(run)
    assert (ended.state, ended.reason, ended.tries) == (
        RunState.FAILED,
        "payment_facts_unavailable",
        MOST_TRIES,
    )


def test_a_result_that_is_too_large_fails_and_leaves_no_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("governor.usecases.carrying.MOST_STORED", 10)
    run = place.begin()
    place.carry_out()
    ended = place.look(run)
    assert (ended.state, ended.reason, ended.files) == (RunState.FAILED, "result_too_large", ())


def test_what_takes_too_long_fails(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governor.usecases.carrying.LONGEST_SECONDS", 0.1)
    run, place.work.meanwhile = place.begin(), _goes_on_until_it_is_told
    place.carry_out()
    assert (place.look(run).state, place.look(run).reason) == (RunState.FAILED, "took_too_long")
