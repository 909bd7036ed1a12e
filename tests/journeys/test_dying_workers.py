"""SIGKILL for the real worker at the worst moments: at most one refund, and the hold stays until it is explained."""

import socket
from collections.abc import Callable
from itertools import count

import pytest
from redis import Redis

from governor.domain.lifecycle import State
from tests.builders import World
from tests.stack import PATIENCE_SECONDS, Stack, eventually
from tests.twin import UNTIL_FORGOTTEN, Twin
from workers import cron

Stacks = Callable[..., Stack]


def test_a_worker_killed_before_it_claimed_anything(world: World, stack_of: Stacks) -> None:
    """Case 80, RELIABILITY D1: it was asking a provider that does not answer whose key it has; still queued."""
    limit, agent = world.limit(2000), world.caller()
    request = world.request(agent, world.payment(5000), 1500)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        stack = stack_of(world, provider_url=f"http://127.0.0.1:{deaf.getsockname()[1]}")
        stack.start("relay")
        stack.begin("worker")
        deaf.settimeout(PATIENCE_SECONDS)
        arrived, _ = deaf.accept()
        with arrived:
            arrived.settimeout(PATIENCE_SECONDS)
            assert arrived.recv(16) == b"GET /v1/account "
            stack.kill("worker")
    assert (world.now(request).state, world.headroom(limit)) == (State.QUEUED, 500)
    assert world.request(agent, world.payment(5000), 1500).state is State.DENIED
    _is_explained_by_the_next_worker(world, stack_of(world), request.id)
    assert world.headroom(limit) == 500


@pytest.mark.parametrize("moment", ["delay_before", "delay_after"])
def test_a_worker_killed_while_the_provider_executes(
    new_world: Callable[..., World], stack_of: Stacks, twin: Twin, moment: str
) -> None:
    """Case 80, RELIABILITY E4, E5, E7: the refund comes to be and nobody notes it; it is never made twice."""
    world = new_world(clock=True)
    limit, agent = world.limit(2000), world.caller()
    request = world.request(agent, world.payment(5000), 1500)
    twin.fault(moment, delay_ms=UNTIL_FORGOTTEN, method="POST", path="/v1/refunds")
    stack = stack_of(world)
    stack.start("relay", "worker")
    eventually(lambda: "POST" in {call["method"] for call in twin.calls()}, lambda: stack.said("worker"))
    stack.kill("worker")
    twin.forget_faults()
    _is_in_doubt(world, request.id)
    assert world.headroom(limit) == 500
    assert world.request(agent, world.payment(5000), 1500).state is State.DENIED
    _is_explained_by_the_next_worker(world, stack_of(world), request.id)
    assert world.headroom(limit) == 500


def _is_in_doubt(world: World, request_id: str) -> None:
    """The lease runs out by itself; then nobody knows, and says so."""
    request = world.app.queries.request(world.operator, request_id)
    assert request.state is State.DISPATCHING
    world.advance(61)
    cron.run_once(world.app, sweep=False)
    assert world.now(request).state is State.UNKNOWN


def _is_explained_by_the_next_worker(world: World, stack: Stack, request_id: str) -> None:
    """A worker lives again: the same key is sent again, or the refund is read; it ends as one refund."""
    request = world.app.queries.request(world.operator, request_id)
    stack.start("worker")
    minutes = count(2, 2)

    def explained() -> bool:
        if _jobs(world) == 0:
            if world.dev_clock is not None:
                world.advance(60 * next(minutes))
            cron.run_once(world.app, sweep=True)
        return world.now(request).state is State.SUCCEEDED

    eventually(explained, lambda: stack.said("worker"))
    assert [write["idempotency_key"] for write in world.writes()] == [f"governor-{request_id}"]


def _jobs(world: World) -> int:
    with Redis.from_url(world.redis_url) as connection:
        return int(connection.llen("rq:queue:governor"))


def test_everything_queued_survives_a_flushall_and_a_dead_worker(world: World, stack_of: Stacks) -> None:
    """Case 84, RELIABILITY C7, C9."""
    world.limit(10**6)
    agent = world.caller()
    stack = stack_of(world)
    stack.start("relay", "worker")
    stack.kill("worker")
    requests = [world.request(agent, world.payment(5000), 100) for _ in range(12)]
    eventually(lambda: _jobs(world) >= 1, lambda: stack.said("relay"))
    with Redis.from_url(world.redis_url) as connection:
        connection.flushall()
    stack.start("worker")
    cron.run_once(world.app, sweep=True)
    eventually(
        lambda: {world.now(request).state for request in requests} == {State.SUCCEEDED},
        lambda: stack.said("worker"),
    )
    assert len(world.writes()) == 12
