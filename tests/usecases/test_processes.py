"""Processes say that they live, in the database; who only looks sees who does, and who went without a word."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from adapters.sql.processes import SqlProcesses
from adapters.this_process import this_process
from governor.domain.endpoints import EndpointKind
from governor.domain.messages import TEST
from governor.domain.processes import KEPT, MISSED_AFTER, Attendance, ProcessKind
from governor.heart import Heart
from governor.release import VERSION
from governor.usecases.manage_endpoints import EndpointDraft
from governor.usecases.see_processes import LOOKED_AT
from tests.builders import World, fresh_key
from tests.stack import eventually


def _attendance(world: World, kind: ProcessKind) -> Attendance:
    return next(one for one in world.app.oversight.processes(["test"]) if one.kind is kind)


def test_a_process_is_seen_while_it_lives_and_not_missed_when_it_stops(world: World) -> None:
    assert all(one.seen_at is None for one in world.app.oversight.processes(["test"]))
    alive = world.app.oversight.alive(ProcessKind.CRON)
    assert alive()
    (seen,) = _attendance(world, ProcessKind.CRON).living
    assert (seen.process.kind, seen.process.version) == (ProcessKind.CRON, VERSION)
    assert seen.process.id.startswith("proc_")
    assert seen.started_at <= seen.seen_at <= world.app.store.now()
    alive.leave()
    assert _attendance(world, ProcessKind.CRON).seen_at is None


def test_who_dies_without_a_word_is_gone_after_a_minute_and_forgotten_when_another_starts(
    new_world: Callable[..., World],
) -> None:
    world = new_world(clock=True)
    assert world.app.oversight.alive(ProcessKind.WORKER)()
    world.advance(MISSED_AFTER.total_seconds())
    found = _attendance(world, ProcessKind.WORKER)
    assert (len(found.living), len(found.gone), found.is_missing) == (0, 1, True)
    world.advance(KEPT.total_seconds())
    assert world.app.oversight.alive(ProcessKind.RELAY)()
    assert _attendance(world, ProcessKind.WORKER).seen_at is None
    assert len(_attendance(world, ProcessKind.RELAY).living) == 1


def test_a_process_that_was_forgotten_while_it_was_stopped_is_there_again_with_its_own_age(
    world: World,
) -> None:
    processes = SqlProcesses(world.app.engine, world.app.store)
    me = this_process(ProcessKind.RUNNER)
    processes.beat(me, timedelta(hours=3))
    processes.forget(processes.now())
    assert processes.seen(at_most=LOOKED_AT) == ()
    processes.beat(me, timedelta(hours=3))
    processes.beat(replace(me, host="renamed"), timedelta(hours=4))
    (seen,) = processes.seen(at_most=LOOKED_AT)
    assert seen.process == me
    assert timedelta(hours=3) <= seen.seen_at - seen.started_at < timedelta(hours=4)


def test_a_messenger_is_missed_only_where_an_endpoint_waits_for_one(world: World) -> None:
    assert not _attendance(world, ProcessKind.MESSENGER).is_missing
    assert _attendance(world, ProcessKind.RUNNER).is_missing
    draft = EndpointDraft(EndpointKind.WEBHOOK, "https://hooks.example.com/", (), (TEST,), None)
    world.app.messages.endpoints.create(world.operator, draft, fresh_key("endpoint"))
    assert _attendance(world, ProcessKind.MESSENGER).is_missing


def test_a_heart_beats_until_it_is_stopped(world: World) -> None:
    with Heart(lambda: world.app.oversight.alive(ProcessKind.MESSENGER)):
        eventually(lambda: len(_attendance(world, ProcessKind.MESSENGER).living) == 1)
    assert _attendance(world, ProcessKind.MESSENGER).seen_at is None
