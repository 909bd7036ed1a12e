"""Long work in real processes: no refund waits for it, and whoever dies over it, it has one result."""

from collections.abc import Callable

import pytest
from redis import Redis

from governor.domain.lifecycle import State
from governor.domain.runs import Run, RunState
from tests.builders import World, fresh_key
from tests.stack import Stack, eventually
from tests.twin import Twin

Stacks = Callable[..., Stack]
SLOWLY = 50_000
"""Milliseconds that the provider takes for its list of events: longer than any of these stories."""


@pytest.fixture
def here(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True)
    world.advance(0)
    world.limit(10**6)
    return world


@pytest.fixture
def stack(here: World, stack_of: Stacks) -> Stack:
    return stack_of(here)


def asked(world: World) -> Run:
    runs = world.app.long_work.runs
    return runs.begin(world.operator, "reconcile", {"currency": "usd"}, fresh_key("run"))[0]


def now(world: World, run: Run) -> Run:
    return world.app.long_work.runs.look(world.operator, run.id)


def under_way(world: World, stack: Stack, twin: Twin) -> Run:
    """A run that waits for a provider which takes its time."""
    twin.fault("delay_before", delay_ms=SLOWLY, method="GET", path="/v1/events")
    run = asked(world)
    stack.start("runner")
    eventually(lambda: "/v1/events" in {call["path"] for call in twin.calls()}, lambda: stack.said("runner"))
    assert now(world, run).state is RunState.RUNNING
    return run


def ended(world: World, stack: Stack, run: Run) -> Run:
    eventually(lambda: not now(world, run).unfinished, lambda: stack.said("runner"))
    return now(world, run)


def times_told(world: World, run: Run, action: str) -> int:
    with world.app.store.reading() as reads:
        rows = reads.audit("test", after=0, at_most=1000)
    return sum((row.entry.object, row.entry.action) == (run.id, action) for row in rows)


def test_no_refund_waits_for_a_run_that_is_under_way(here: World, stack: Stack, twin: Twin) -> None:
    stack.start("relay", "worker")
    run = under_way(here, stack, twin)
    request = here.request(here.caller(), here.payment(5000), 1500)
    eventually(lambda: here.now(request).state is State.SUCCEEDED, lambda: stack.said("worker"))
    assert now(here, run).state is RunState.RUNNING
    stack.kill("runner")


def test_a_runner_that_is_killed_in_the_middle_leaves_one_result_all_the_same(
    here: World, stack: Stack, twin: Twin
) -> None:
    run = under_way(here, stack, twin)
    stack.kill("runner")
    assert now(here, run).state is RunState.RUNNING
    here.advance(61)
    stack.start("runner")
    done = ended(here, stack, run)
    assert (done.state, done.tries, len(done.files)) == (RunState.DONE, 2, 2)
    assert times_told(here, run, "run.ended") == 1


def test_nothing_that_redis_forgets_loses_a_run(here: World, stack: Stack) -> None:
    """FLUSHALL, RELIABILITY C9: runs are found in the database."""
    run = asked(here)
    with Redis.from_url(here.redis_url) as connection:
        connection.flushall()
    stack.start("runner")
    assert ended(here, stack, run).state is RunState.DONE
