"""Freezing with the real processes: the stop works while the web process is under attack, and without it."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from redis import Redis
from rq import Worker

from adapters.queue.doorbell import queue_on
from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from tests.builders import World, fresh_key
from tests.stack import PATIENCE_SECONDS, PROJECT, Stack, eventually, settings_as_variables

HALF = b"POST /api/v1/environment/freeze HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
ATTACKERS = 40


def on_the_host(world: World, *words: str) -> Any:
    """`governor …` as a process of its own beside the others."""
    command = [sys.executable, "-m", "governor.cli.main", *words, "--json"]
    variables = os.environ | settings_as_variables(world.app.settings)
    done = subprocess.run(
        command, cwd=PROJECT, env=variables, capture_output=True, timeout=PATIENCE_SECONDS, check=True
    )
    return json.loads(done.stdout)


def _idle(world: World) -> bool:
    """Whether every bell was rung, and a worker has done the jobs."""
    rung = world.app.outbox.ring_due(world.app.doorbell.ring) == 0
    with Redis.from_url(world.redis_url) as connection:
        queue = queue_on(connection)
        workers = Worker.all(connection=connection)
        done = sum(one.successful_job_count for one in workers) > 0
        working = any(one.get_state() == "busy" for one in workers)
        return rung and done and not working and queue.count == queue.started_job_registry.count == 0


def test_twenty_wait_behind_a_freeze_under_attack_and_leave_after_it(
    world: World, stack_of: Callable[..., Stack]
) -> None:
    """Case 87, RELIABILITY §0, 4: half-sent bodies take every thread they can; the stop works over HTTP and without."""
    world.limit(20_000)
    agent = world.caller()
    requests = [world.request(agent, world.payment(), 1000) for _ in range(20)]
    operator = world.key(Role.OPERATOR, "second", kind=Kind.HUMAN)
    stack = stack_of(world)
    stack.start("web")
    with ExitStack() as attack:
        for _ in range(ATTACKERS):
            client = attack.enter_context(
                socket.create_connection(("127.0.0.1", stack.port), timeout=PATIENCE_SECONDS)
            )
            client.sendall(HALF)
        frozen = on_the_host(world, "env", "freeze", "--reason", "under attack")
        again = {"reason": "I say so too"}
        status, _, said = stack.call(
            "POST", "/api/v1/environment/freeze", operator, again, **{"Idempotency-Key": fresh_key("freeze")}
        )
        assert (status, said["id"], said["frozen"]["person"]) == (200, frozen["id"], "host")
    stack.start("relay", "worker")
    eventually(lambda: _idle(world), lambda: stack.said("worker"))
    assert world.writes() == []
    assert {world.now(one).state for one in requests} == {State.QUEUED}
    stack.stop("web")
    first = on_the_host(world, "env", "unfreeze", "--reason", "it is over")
    assert first["ended"] is None
    draft = {"scope": "environment", "value": None, "reason": "it is over"}
    stack.start("web")
    status, _, said = stack.call(
        "POST", "/api/v1/environment/unfreeze", operator, draft, **{"Idempotency-Key": fresh_key("go")}
    )
    assert (status, said["ended"]["person"]) == (200, "owner of second")
    eventually(lambda: len(world.writes()) == 20, lambda: stack.said("worker"))
    eventually(lambda: {world.now(one).state for one in requests} == {State.SUCCEEDED})
