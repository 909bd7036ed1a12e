"""The wall clock of the processes jumps by an hour and more: leases, keys and holds live by the database's."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.journeys.test_dying_web import PATH
from tests.stack import Stack, eventually
from tests.twin import Twin
from workers import cron

HOUR = 3600
JUMPS = (-1, 1, 25)
"""By how many hours the clock is off, one after the other. The last is longer than a key's life."""
ENDED_BY_RQ = "Work-horse terminated"
LATER = count(10, 10)
PROCESSES = ("web", "relay", "worker", "cron")
ASK = "import time, datetime; print(int(time.time()), int(datetime.datetime.now().timestamp()))"


@pytest.fixture(scope="module")
def shifted_clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes a process's wall clock wrong."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip(
            "issue 3, point 11: a process's clock can only be shifted on Linux, and with a C compiler"
        )
    library = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    source = Path(__file__).with_name("shifted_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    return library


def _asked(world: World, stack: Stack, key: str, amount: int) -> RefundRequest:
    sent = {"payment": world.payment(5000), "amount": amount, "currency": "usd"}
    status, _, body = stack.call("POST", PATH, key, sent, **{"Idempotency-Key": f"clock-{amount:04d}"})
    assert status == 202
    return world.app.queries.request(world.operator, body["id"])


def _posts(twin: Twin) -> int:
    return [call["method"] for call in twin.calls()].count("POST")


def _more_posts(twin: Twin, before: int) -> bool:
    return _posts(twin) > before


def _has_ended(world: World, request: RefundRequest, stack: Stack, ended_before: int) -> bool:
    now = world.now(request)
    if now.state is not State.SUCCEEDED and stack.said("worker").count(ENDED_BY_RQ) > ended_before:
        world.advance(next(LATER))
        cron.run_once(world.app, sweep=True)
    return now.state is State.SUCCEEDED


def _off_by(world: World) -> list[int]:
    """By how many hours a process's clocks are off, as Python asks for them."""
    said = subprocess.check_output([sys.executable, "-c", ASK], text=True).split()
    real = world.app.store.now().timestamp()
    return [round((int(one) - real) / HOUR) for one in said]


def test_a_wall_clock_that_jumps_in_the_middle_of_a_call_changes_nothing(
    new_world: Callable[..., World],
    twin: Twin,
    stack_of: Callable[..., Stack],
    shifted_clock: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RELIABILITY D13, J13: each refund is made once, a hold keeps its time, and no lease is lost by a jump.

    A jump forwards makes RQ believe that the job has taken too long, and end it: then the lease runs out by itself.
    """
    world = new_world(clock=True)
    limit, approver = world.limit(10_000, approval_above=2000), world.approver()
    monkeypatch.setenv("LD_PRELOAD", str(shifted_clock))
    monkeypatch.setenv("SHIFTED_BY", str(shifted_by := tmp_path / "shifted-by"))
    stack = stack_of(world)
    stack.start(*PROCESSES)
    key = world.key(Role.AGENT)
    held = world.now(_asked(world, stack, key, 3000))
    for number, hours in enumerate(JUMPS):
        twin.fault("delay_before", delay_ms=2_500, method="POST", path="/v1/refunds")
        before = _posts(twin)
        called = _asked(world, stack, key, 1000 + number)
        twin.until(partial(_more_posts, twin, before))
        ended = stack.said("worker").count(ENDED_BY_RQ)
        shifted_by.write_text(str(hours * HOUR))
        assert _off_by(world) == [hours, hours]
        eventually(partial(_has_ended, world, called, stack, ended), lambda: stack.said("worker"))
    held = world.now(held)
    assert world.app.queries.hold(approver, held.hold or "")[0].state is State.PENDING_APPROVAL
    assert held.expires_at == held.created_at + timedelta(seconds=world.approval_seconds)
    assert [write["amount"] for write in world.writes()] == [1000, 1001, 1002]
    assert world.headroom(limit) == 10_000 - 3000 - 3003
