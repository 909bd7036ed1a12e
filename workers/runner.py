"""Carries out runs, one after the other, in a process of its own: however long one takes, no refund waits for it.

Runs are found in the database itself. Nothing rings for them, so nothing that Redis forgets can lose one.
"""

from __future__ import annotations

import os
import threading

from governor.domain.errors import Unavailable
from governor.domain.processes import ProcessKind
from governor.logging import what_broke
from governor.usecases.carry_out_run import CarryOutRun
from workers.process import application, heart, log, stop_on_signals

WAIT_SECONDS = 1.0
"""How long a run waits at most until an idle runner begins it."""

NICENESS = 10
"""Where processors are few, dispatch comes first."""


def run_once(carry_out: CarryOutRun, stop: threading.Event) -> bool:
    """Carry out the run that is due for longest; whether there was one.

    Raises:
        Unavailable: the database is away.
    """
    run = carry_out(stop.is_set)
    if run is None:
        return False
    log.info(
        "run.left" if run.unfinished else "run.ended",
        run=run.id,
        kind=run.kind,
        state=run.state.value,
        reason=run.reason,
    )
    return True


def run(carry_out: CarryOutRun, stop: threading.Event) -> None:
    """Until stopped. What one run dies of, unexpected as it is, does not keep the others waiting."""
    while not stop.is_set():
        try:
            if run_once(carry_out, stop):
                continue
        except Unavailable as error:
            log.warning("runner.waiting", code=error.code)
        except Exception as error:  # noqa: BLE001  the run has failed and says so; the process has others to carry out
            log.error("run.broke", **what_broke(error))
        stop.wait(WAIT_SECONDS)


def main() -> int:
    """The process."""
    os.nice(NICENESS)
    carry_out = application().long_work.carry_out
    log.info("runner.started")
    with heart(ProcessKind.RUNNER):
        run(carry_out, stop_on_signals())
    return 0
