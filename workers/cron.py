"""Periodic work, safe to run in any number of processes: each piece takes the environment's line itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from governor.bootstrap import Application
from governor.domain.anchors import EVENT
from governor.domain.errors import GovernorError, Invalid, InvariantBroken, Unavailable
from governor.domain.processes import ProcessKind
from governor.domain.trail_care import ANCHORED_EVERY, KeptIn
from workers.process import application, heart, log, stop_on_signals

TICK_SECONDS = 1.0
SWEEP_EVERY = timedelta(seconds=15)
"""Between sweeps for lost rings, and for what the provider told nobody: FLUSHALL at any moment delays a refund by at most this many seconds."""

TIDY_EVERY = timedelta(minutes=5)
"""Between removals of runs that are over for long, with their files."""


@dataclass
class Turn:
    """Work that comes round every so often, by a clock that nobody sets (seconds): however long the ticks take.

    A turn that was not done is tried again at the next tick.
    """

    every: timedelta
    due_at: float

    def is_due(self, now: float) -> bool:
        """Whether it is its turn."""
        return now >= self.due_at

    def done(self, begun: float) -> None:
        """It was done, in a tick that began then."""
        self.due_at = begun + self.every.total_seconds()


Rung = dict[str, str]
"""Environment → the event for which its inbox was rung last."""


def run_once(app: Application, *, sweep: bool, rung: Rung | None = None) -> None:
    """Book what time alone has decided, ring for inboxes; on a sweep, ring again for everything that is due.

    `rung` is kept from one tick to the next.

    Raises:
        Unavailable: the database or the queue is away.
    """
    rung = Rung() if rung is None else rung
    if sweep:
        rung.clear()
    with app.store.reading() as reads:
        environments = [environment.name for environment in reads.environments()]
    for name in environments:
        _keep_up(app, name, rung)
    if sweep:
        app.outbox.ring_overdue(app.doorbell.ring)
        for name in environments:
            _catch_up(app, name)


def _keep_up(app: Application, environment: str, rung: Rung) -> None:
    """What time has decided in one environment. Broken books in one stop none of the others: that is said, and tried again."""
    try:
        for verb in (app.fence_environment, app.expire_holds, app.note_expiring, app.recover_leases):
            if verb.due(environment):
                verb(environment)
        ring_inbox(app, environment, rung)
    except InvariantBroken as error:
        log.error("cron.invariant_broken", environment=environment, code=error.code)


def _catch_up(app: Application, environment: str) -> None:
    """Walk the provider's lists, if it is time. A provider that is away keeps nobody else from their turn."""
    try:
        found = app.catch_up.due(environment)
    except GovernorError as error:
        log.warning("cron.not_caught_up", environment=environment, code=error.code)
        return
    if found.events or found.refunds:
        log.info("cron.caught_up", environment=environment, events=found.events, refunds=found.refunds)


def ring_inbox(app: Application, environment: str, rung: Rung) -> None:
    """Ring for an inbox with something due, once for the same event: without workers the queue must not grow."""
    event = app.inbox.anything_due(environment)
    if event is None or rung.get(environment) == event:
        return
    app.doorbell.ring(event)
    rung[environment] = event


def anchor(app: Application) -> None:
    """Say in the log where each audit trail ends: what is kept outside the database shows a tail that was cut off.

    Raises:
        Unavailable: the database is away.
    """
    with app.store.reading() as reads:
        environments = [environment.name for environment in reads.environments()]
    for name in environments:
        try:
            said = app.audit.anchor(name)
            log.info(EVENT, **said.told)
            app.audit.care.anchored(said, KeptIn.LOG)
        except Invalid as error:
            # Its founding is a transaction of its own before its first row: that must not stop all the others.
            log.warning("cron.no_trail_yet", environment=name, code=error.code)


def run(app: Application, stop: threading.Event, clock: Callable[[], float] = time.monotonic) -> None:
    """Until stopped, once a tick."""
    rung, begun = Rung(), clock()
    anchoring, sweeping, tidying = (Turn(every, begun) for every in (ANCHORED_EVERY, SWEEP_EVERY, TIDY_EVERY))
    while not stop.is_set():
        try:
            now = clock()
            if anchoring.is_due(now):
                anchor(app)
                anchoring.done(now)
            sweep = sweeping.is_due(now)
            run_once(app, sweep=sweep, rung=rung)
            if sweep:
                sweeping.done(now)
            if tidying.is_due(now):
                app.long_work.tidy()
                tidying.done(now)
        except Unavailable as error:
            log.warning("cron.waiting", code=error.code)
        stop.wait(TICK_SECONDS)


def main() -> int:
    """The process."""
    log.info("cron.started")
    with heart(ProcessKind.CRON):
        run(application(), stop_on_signals())
    return 0
