"""A worker that is told to stop, or loses a part of itself, in the middle of a call."""

from collections.abc import Callable
from itertools import count

import psutil
import pytest
from redis import Redis

from adapters.queue.doorbell import QUEUE
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.processes import ProcessKind
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.stack import PATIENCE_SECONDS, Stack, eventually
from tests.twin import UNTIL_FORGOTTEN, Twin
from workers import cron

Stacks = Callable[..., Stack]


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    return new_world(clock=True)


@pytest.fixture
def limit(world: World) -> Limit:
    return world.limit(2000)


def _workers_seen(world: World) -> int:
    """Workers that have said that they live, and not that they stop."""
    kinds = {one.kind: one for one in world.app.oversight.processes(["test"])}
    worker = kinds[ProcessKind.WORKER]
    return len(worker.living) + len(worker.gone)


def _calling(world: World, twin: Twin, stack: Stack, delay_ms: int = UNTIL_FORGOTTEN) -> RefundRequest:
    """A request whose call has reached the provider, which takes its time."""
    request = world.request(world.caller(), world.payment(5000), 1500)
    twin.fault("delay_before", delay_ms=delay_ms, method="POST", path="/v1/refunds")
    stack.start("relay", "worker")
    eventually(lambda: "POST" in {call["method"] for call in twin.calls()}, lambda: stack.said("worker"))
    return request


def test_a_worker_told_to_stop_hears_its_call_to_the_end(
    world: World, limit: Limit, twin: Twin, stack_of: Stacks
) -> None:
    """RELIABILITY J15: SIGTERM in the middle of a call; it is finished, and nothing is in doubt."""
    stack = stack_of(world)
    # Whoever tells a worker to stop waits until it is gone, so this call ends by itself.
    request = _calling(world, twin, stack, delay_ms=2_000)
    stack.stop("worker")
    now = world.now(request)
    assert (now.state, now.attempts, world.headroom(limit)) == (State.SUCCEEDED, 1, 500)
    assert len(world.writes()) == 1
    assert _workers_seen(world) == 0, "it said that it stops"


def test_a_worker_whose_horse_is_killed_asks_what_became_of_the_call(
    world: World, limit: Limit, twin: Twin, stack_of: Stacks
) -> None:
    """Case 80, RELIABILITY E28: out of memory, say; the lease runs out, and the same worker looks after it."""
    stack = stack_of(world)
    request = _calling(world, twin, stack)
    for horse in stack.forked("worker"):
        horse.kill()
    twin.forget_faults()
    _is_explained(world, request, stack)
    assert (stack.said("worker").count("worker.started"), world.headroom(limit)) == (1, 500)


def test_a_horse_whose_worker_is_killed_ends_its_call_and_nobody_does_it_again(
    world: World, limit: Limit, twin: Twin, stack_of: Stacks
) -> None:
    """Case 80, RUNNING.md §6: the orphan finishes; its job may be run anew elsewhere, and that finds nothing to do."""
    stack = stack_of(world)
    request = _calling(world, twin, stack)
    orphans = stack.kill_alone("worker")
    assert orphans, "no horse was at work"
    twin.forget_faults()
    psutil.wait_procs(orphans, timeout=PATIENCE_SECONDS)
    now = world.now(request)
    assert (now.state, now.attempts) == (State.SUCCEEDED, 1)
    assert _workers_seen(world) == 1, "who dies says nothing, and is missed"
    stack.start("worker")
    eventually(lambda: _workers_seen(world) == 2)
    _is_explained(world, request, stack)
    assert (world.now(request).attempts, world.headroom(limit)) == (1, 500)


def _is_explained(world: World, request: RefundRequest, stack: Stack) -> None:
    """Time goes on, a minute whenever nobody is rung, until it is explained; it was executed once."""
    minutes = count(2)

    def explained() -> bool:
        with Redis.from_url(world.redis_url) as connection:
            idle = connection.llen(f"rq:queue:{QUEUE}") == 0
        if idle:
            world.advance(60 * next(minutes))
            cron.run_once(world.app, sweep=True)
        return world.now(request).state is State.SUCCEEDED

    eventually(explained, lambda: stack.said("worker"))
    assert [write["idempotency_key"] for write in world.writes()] == [f"governor-{request.id}"]
