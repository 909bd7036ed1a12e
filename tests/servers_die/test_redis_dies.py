"""Redis forgets everything, or is away: requests are taken all the while, and every refund is made once."""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from redis import Redis

from adapters.embedded.valkey import EmbeddedRedis
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.journeys.test_dying_web import PATH
from tests.servers import crash, running_redis
from tests.stack import Stack, eventually
from tests.twin import Twin
from workers import cron

PROCESSES = ("web", "relay", "worker")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where this test's own Redis keeps what it knows."""
    return tmp_path / "redis"


@pytest.fixture
def redis_server(folder: Path) -> Iterator[EmbeddedRedis]:
    """A server of this test's own."""
    with running_redis(folder) as server:
        yield server


def _forgets(server: EmbeddedRedis, folder: Path) -> None:
    assert folder.exists()
    with Redis.from_url(server.url) as connection:
        connection.flushall()


def _dies_and_comes_back_empty(server: EmbeddedRedis, folder: Path) -> None:
    crash(server)
    shutil.rmtree(folder / "appendonlydir")
    server.start()


@pytest.mark.parametrize("strike", [_forgets, _dies_and_comes_back_empty])
def test_what_redis_loses_while_a_job_runs_and_others_wait_is_done_all_the_same(
    world: World,
    twin: Twin,
    redis_server: EmbeddedRedis,
    folder: Path,
    stack_of: Callable[..., Stack],
    strike: Callable[[EmbeddedRedis, Path], None],
) -> None:
    """Case 84, RELIABILITY C7, C8, C9: the job that runs ends on the database's truth; a sweep rings for the rest."""
    world.limit(10**6)
    agent = world.caller()
    stack = stack_of(world)
    stack.start("relay", "worker")
    twin.fault("delay_before", delay_ms=2_000, method="POST", path="/v1/refunds")
    requests = [world.request(agent, world.payment(5000), 100)]
    twin.until(lambda: "POST" in {call["method"] for call in twin.calls()})
    requests += [world.request(agent, world.payment(5000), 100) for _ in range(8)]
    strike(redis_server, folder)
    requests += [world.request(agent, world.payment(5000), 100) for _ in range(3)]
    eventually(partial(_all_done, world, requests), lambda: stack.said("worker"))
    assert len(world.writes()) == len(requests)
    assert all(map(stack.lives, ("relay", "worker")))


def _all_done(world: World, requests: list[RefundRequest]) -> bool:
    cron.run_once(world.app, sweep=True)
    return {world.now(request).state for request in requests} == {State.SUCCEEDED}


def test_while_redis_is_away_requests_are_taken_and_afterwards_sent(
    world: World, redis_server: EmbeddedRedis, stack_of: Callable[..., Stack]
) -> None:
    """RELIABILITY C6: who is waiting says so; nobody is refused, and no process is started again."""
    world.limit(10**6)
    key, payments = world.key(Role.AGENT), [world.payment(5000) for _ in range(5)]
    stack = stack_of(world)
    stack.start(*PROCESSES)
    crash(redis_server)
    try:
        for number, payment in enumerate(payments):
            sent = {"payment": payment, "amount": 100, "currency": "usd"}
            named = {"Idempotency-Key": f"no-redis-{number:04d}"}
            assert stack.call("POST", PATH, key, sent, **named)[0] == 202
        eventually(lambda: "relay.waiting" in stack.said("relay"))
        assert stack.call("GET", "/readyz", "")[0] == 503
        assert world.writes() == []
    finally:
        redis_server.start()
    eventually(lambda: len(world.writes()) == len(payments), lambda: stack.said("relay"))
    assert all(map(stack.lives, PROCESSES))
