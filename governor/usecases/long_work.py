"""Everything that is done with runs, in one hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from governor.ports.runs import Runs
from governor.ports.world import IdFactory
from governor.usecases.carry_out_run import CarryOutRun
from governor.usecases.run_long_work import RunLongWork, Works


@dataclass(frozen=True)
class LongWork:
    """`runs` is for people, `carry_out` for a runner, `tidy` for cron, `waits_since` for `governor doctor`."""

    runs: RunLongWork
    carry_out: CarryOutRun
    tidy: Callable[[], int]
    waits_since: Callable[[], datetime | None]


def long_work(runs: Runs, ids: IdFactory, works: Works, monotonic: Callable[[], float]) -> LongWork:
    """Of these kinds of work. `monotonic` counts seconds."""
    return LongWork(
        RunLongWork(runs, ids, works), CarryOutRun(runs, works, monotonic), runs.tidy, runs.waits_since
    )
