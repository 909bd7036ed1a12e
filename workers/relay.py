"""The relay: outbox rows become rings. The database is the truth, Redis a doorbell."""

from __future__ import annotations

import threading

from governor.bootstrap import Application
from governor.domain.errors import Unavailable
from governor.domain.processes import ProcessKind
from workers.process import application, heart, log, stop_on_signals

WAIT_SECONDS = 1.0
"""How long to sleep when nobody rings: back-off times come due without a ring."""


def run_once(app: Application) -> int:
    """Ring for what is due; returns how many outbox rows that were.

    Raises:
        Unavailable: the queue or the database is away; the rows stay.
    """
    return app.outbox.ring_due(app.doorbell.ring)


def run(app: Application, stop: threading.Event) -> None:
    """Until stopped: ring, then sleep until a transaction says that it queued something."""
    while not stop.is_set():
        try:
            with app.outbox.bell() as wait:
                while not stop.is_set():
                    run_once(app)
                    wait(WAIT_SECONDS)
        except Unavailable as error:
            log.warning("relay.waiting", code=error.code)
            stop.wait(WAIT_SECONDS)


def main() -> int:
    """The process."""
    log.info("relay.started")
    with heart(ProcessKind.RELAY):
        run(application(), stop_on_signals())
    return 0
