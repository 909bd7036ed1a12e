"""After the storm: whatever is due is done, and time is moved on until nothing more is to be expected."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import text

from governor.chaos.clients import Client, Weather
from governor.chaos.nemesis import Nemesis
from governor.chaos.plan import PROVIDER
from governor.chaos.settled import ENVIRONMENT
from governor.chaos.stage import Stage, move_clock
from governor.chaos.waiting import until
from governor.cli.up.announcement import answers
from governor.domain.errors import Unavailable

RECOVERY_SECONDS: Final = 300.0
"""How long, by the clock on the wall, recovery may take."""
ROUNDS: Final = 40
ROUND_SECONDS: Final = 10.0
"""How long one round waits for what is due, before time is moved on regardless."""
LONGER_SECONDS: Final = 1200
SWEEP_SECONDS: Final = 2.0
AFTERMATH: Final = 3
AFTERMATH_SECONDS: Final = 120
"""Late outcomes at the provider come half a minute after their refund; a walk of its lists is due every minute."""
_TICK_SECONDS: Final = 0.2

_OPEN = """
    SELECT * FROM refund_requests r WHERE state IN ('dispatching', 'unknown', 'provider_pending')
    OR (state = 'queued' AND NOT EXISTS (SELECT 1 FROM refund_requests o WHERE o.environment = r.environment
        AND o.payment = r.payment AND o.state IN ('dispatching', 'unknown')))"""
"""What waits for time or a worker. A queued request behind one in doubt on its payment waits for that one, and a
lease that was taken while the clock was ahead waits for its time."""

_DUE = text(f"""
    SELECT (SELECT count(*) FROM refund_requests WHERE state = 'pending_approval')
        + (SELECT count(*) FROM provider_events WHERE processed_at IS NULL AND due_at <= :now)
        + (SELECT count(*) FROM ({_OPEN}) one WHERE coalesce(due_at, lease_until - interval '60 s') <= :now)""")  # noqa: S608  our own text
_NEXT = text(f"""
    SELECT least(min(due_at), min(lease_until)) - CAST(:now AS timestamptz) FROM ({_OPEN}) one
    WHERE flagged_at IS NULL""")  # noqa: S608  our own text
"""Until something of those is due that no operator has been asked to look at yet."""


def recover(stage: Stage, nemesis: Nemesis, clients: Sequence[Client], weather: Weather) -> None:
    """Let agents end what they have begun, then let everything come due and be done; then stop governor.

    Nothing here repairs anything: cron, relay and workers do, and the people who approve and acknowledge.
    """
    nemesis.rest()
    # Our own connections are of before the database was killed.
    stage.app.engine.dispose()
    deadline = time.monotonic() + RECOVERY_SECONDS
    for port in stage.ports:
        until(lambda port=port: _tended(nemesis) and answers(f"http://127.0.0.1:{port}/readyz"), stage.logs)  # type: ignore[misc]  # mypy infers no type for a lambda's default
    agents = [client for client in clients if client.ends_with_the_storm]
    longer_at = time.monotonic() + ROUND_SECONDS
    while any(agent.is_alive() for agent in agents) and time.monotonic() < deadline:
        _moment(nemesis)
        if time.monotonic() > longer_at:
            # A key that was taken while the clock was ahead is free when that time has come.
            _move_on(stage, LONGER_SECONDS)
            longer_at = time.monotonic() + ROUND_SECONDS
    for _ in range(ROUNDS):
        _let_due_work_happen(stage, nemesis, deadline)
        ahead = _seconds_to_the_next(stage)
        if ahead is None or time.monotonic() > deadline:
            break
        _move_on(stage, ahead)
    for _ in range(AFTERMATH):
        _move_on(stage, AFTERMATH_SECONDS)
        _let_due_work_happen(stage, nemesis, deadline)
    weather.over.set()
    for client in clients:
        client.join()
    governor = [program for name, program in stage.programs.items() if name != PROVIDER]
    for program in governor:
        program.ask_to_stop()
    for program in governor:
        program.stop()


def _move_on(stage: Stage, seconds: int) -> None:
    """Time passes for governor and, after it, for the provider."""
    move_clock(stage.clock, seconds)
    stage.twin.advance(seconds)


def _let_due_work_happen(stage: Stage, nemesis: Nemesis, deadline: float) -> None:
    """Sweeps as cron does every fifteen seconds, and waits until nothing is due."""
    give_up = min(deadline, time.monotonic() + ROUND_SECONDS)
    _sweep(stage)
    sweep_at = time.monotonic() + SWEEP_SECONDS
    while _one(stage, "due") and time.monotonic() < give_up:
        if time.monotonic() >= sweep_at:
            _sweep(stage)
            sweep_at = time.monotonic() + SWEEP_SECONDS
        _moment(nemesis)


def _sweep(stage: Stage) -> None:
    try:
        stage.app.catch_up.due(ENVIRONMENT)
        stage.app.outbox.ring_overdue(stage.app.doorbell.ring)
    except Unavailable:
        return  # cron's own sweep comes


def _seconds_to_the_next(stage: Stage) -> int | None:
    """How far time has to be moved until more is due; None when nothing more is to be expected."""
    ahead = _one(stage, "next")
    return None if ahead is None else max(1, int(ahead.total_seconds()) + 1)


def _one(stage: Stage, what: str) -> Any:  # noqa: ANN401  a count, or a time that may be missing
    statement = {"due": _DUE, "next": _NEXT}[what]
    with stage.app.engine.connect() as connection:
        return connection.execute(statement, {"now": stage.app.store.now()}).scalar_one()


def _tended(nemesis: Nemesis) -> bool:
    nemesis.tend()
    return True


def _moment(nemesis: Nemesis) -> None:
    nemesis.tend()
    threading.Event().wait(_TICK_SECONDS)
