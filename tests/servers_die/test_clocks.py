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
ENDED_BY_RQ = "Work-horse terminated"
LATER = count(10, 10)
PROCESSES = ("web", "relay", "worker", "cron")
ASK = "import time, datetime; print(int(time.time()), int(datetime.datetime.now().timestamp()))"


@pytest.fixture(scope="module")
def shifted_clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes a process's wall clock wrong."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a process's clock can only be shifted on Linux, and with a C compiler")
    library = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    source = Path(__file__).with_name("shifted_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    return library


def _asked(stack: Stack, key: str, payment: str, amount: int) -> str:
    sent = {"payment": payment, "amount": amount, "currency": "usd"}
    status, _, body = stack.call("POST", PATH, key, sent, **{"Idempotency-Key": f"clock-{amount:04d}"})
    assert status == 202
    return str(body["id"])


def _has_ended(world: World, request: RefundRequest, stack: Stack) -> bool:
    now = world.now(request)
    if now.state is not State.SUCCEEDED and ENDED_BY_RQ in stack.said("worker"):
        world.advance(next(LATER))
        cron.run_once(world.app, sweep=True)
    return now.state is State.SUCCEEDED


def _off_by(world: World) -> list[int]:
    """By how many hours a new process's clocks are off, as Python asks for them."""
    said = subprocess.check_output([sys.executable, "-c", ASK], text=True).split()
    real = world.app.store.now().timestamp()
    return [round((int(one) - real) / HOUR) for one in said]


@pytest.mark.parametrize("shift", [-HOUR, HOUR, 25 * HOUR])
def test_a_wall_clock_that_jumps_in_the_middle_of_a_call_changes_nothing(
    new_world: Callable[..., World],
    twin: Twin,
    stack_of: Callable[..., Stack],
    shifted_clock: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shift: int,
) -> None:
    """RELIABILITY D13, J13: the refund is made once, a hold keeps its time, and no lease is lost by the jump.

    A jump forwards makes RQ believe that the job has taken too long, and end it: then the lease runs out by itself.
    """
    world = new_world(clock=True)
    limit, approver = world.limit(10_000, approval_above=2000), world.approver()
    monkeypatch.setenv("LD_PRELOAD", str(shifted_clock))
    monkeypatch.setenv("SHIFTED_SECONDS", str(shift))
    monkeypatch.setenv("SHIFTED_WHEN", str(jump := tmp_path / "jump"))
    assert _off_by(world) == [0, 0]
    stack = stack_of(world)
    stack.start(*PROCESSES)
    key = world.key(Role.AGENT)
    twin.fault("delay_before", delay_ms=2_500, method="POST", path="/v1/refunds")
    ids = [_asked(stack, key, world.payment(5000), amount) for amount in (1500, 3000)]
    twin.until(lambda: "POST" in {call["method"] for call in twin.calls()})
    jump.touch()
    assert _off_by(world) == [shift // HOUR] * 2
    called, waiting = (world.app.queries.request(world.operator, one) for one in ids)
    eventually(partial(_has_ended, world, called, stack), lambda: stack.said("worker"))
    held = world.now(waiting)
    assert world.app.queries.hold(approver, held.hold or "")[0].state is State.PENDING_APPROVAL
    assert held.expires_at == held.created_at + timedelta(seconds=world.approval_seconds)
    assert world.headroom(limit) == 10_000 - 1500 - 3000
    assert [write["amount"] for write in world.writes()] == [1500]
