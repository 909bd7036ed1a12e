"""The messenger: tells endpoints what happened. A process of its own, so that no stranger's server slows a refund.

It needs the database alone: nobody rings it, it looks. It is the only one that calls where people told it to.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Self

from governor.bootstrap import Application
from governor.domain.deliveries import Receipt
from governor.domain.errors import GovernorError
from governor.domain.processes import ProcessKind
from governor.logging import what_broke
from governor.ports.messages import Claimed
from workers.process import application, heart, log, stop_on_signals

CALLS_AT_ONCE = 64
"""Each endpoint gets eight of them at most, and one that takes nothing a single one."""
TICK_SECONDS = 0.5
FORGET_EVERY = 600
"""Ticks between looks for messages that are old enough to be removed: some minutes."""


class Round:
    """Deliveries under way, each in a thread of its own: whoever is slow is waited for by nobody."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._pool = ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="delivery")
        self._running: set[Future[Receipt]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """What is under way ends within seconds."""
        self._pool.shutdown()

    def go(self) -> int:
        """Tell what happened, and begin to carry what is due; returns how much there was of both.

        Raises:
            Unavailable: the database is away.
        """
        self._running = {future for future in self._running if not future.done()}
        told = self._app.messages.tell()
        free = CALLS_AT_ONCE - len(self._running)
        claimed = self._app.messages.deliver.claim(free) if free else ()
        for one in claimed:
            future = self._pool.submit(self._app.messages.deliver.send, one)
            future.add_done_callback(partial(_report, one))
            self._running.add(future)
        return told + len(claimed)

    def until_carried(self) -> None:
        """Wait for what is under way."""
        wait(self._running)


def run_once(app: Application) -> None:
    """Tell everything, and carry whatever is due.

    Raises:
        Unavailable: the database is away.
    """
    with Round(app) as deliveries:
        while deliveries.go():
            deliveries.until_carried()


def run(app: Application, stop: threading.Event) -> None:
    """Until stopped. As long as there is something to do it hardly rests. What is old goes little by little."""
    tick, forgotten = 0, 0
    with Round(app) as deliveries:
        while not stop.is_set():
            try:
                busy = deliveries.go() > 0
                if forgotten or tick % FORGET_EVERY == 0:
                    forgotten = app.messages.forget()
            except GovernorError as error:
                log.warning("messenger.waiting", code=error.code)
                busy = False
            tick += 1
            stop.wait(TICK_SECONDS / 10 if busy else TICK_SECONDS)


def _report(claimed: Claimed, future: Future[Receipt]) -> None:
    """What became of one try, without a word of where it went."""
    named = {"endpoint": claimed.endpoint.id, "message": claimed.message.id}
    error = future.exception()
    if error is not None:
        log.error("delivery.not_recorded", **named, **what_broke(error))
    else:
        log.info("delivery.tried", **named, **vars(future.result()))


def main() -> int:
    """The process."""
    log.info("messenger.started")
    with heart(ProcessKind.MESSENGER):
        run(application(), stop_on_signals())
    return 0
