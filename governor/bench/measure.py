"""Driving many callers in several processes for a bounded time, and what came out of it."""

from __future__ import annotations

import multiprocessing
import platform
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from governor.domain.errors import GovernorError

Call = Callable[[int], None]
"""One operation; the argument is a number that no other call of this run gets."""

MakeCall = Callable[[dict[str, Any]], Call]
"""Builds the operation inside the process that will run it."""


@dataclass(frozen=True)
class Run:
    """One measured run. `seconds` is the wall time of the slowest process; latencies in milliseconds."""

    done: int
    seconds: float
    latencies_ms: tuple[float, ...]
    errors: tuple[str, ...]

    @property
    def per_second(self) -> float:
        """Completed operations a second."""
        return self.done / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that this share of the operations stayed under."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def drive(
    make_call: MakeCall, context: dict[str, Any], *, callers: int, processes: int, seconds: float
) -> Run:
    """Let `callers` threads, spread over `processes`, repeat the operation for `seconds`.

    The processes are spawned, build their operation, meet at a barrier and only then start the clock.
    """
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(processes), spawn.Queue()
    threads = max(1, callers // processes)
    started = [
        spawn.Process(
            target=_process, args=(make_call, context, n, threads, seconds, barrier, results), daemon=True
        )
        for n in range(processes)
    ]
    for process in started:
        process.start()
    parts = [results.get(timeout=seconds + 60) for _ in started]
    for process in started:
        process.join(timeout=10)
    return Run(
        done=sum(len(part[1]) for part in parts),
        seconds=max(part[0] for part in parts),
        latencies_ms=tuple(latency for part in parts for latency in part[1]),
        errors=tuple(error for part in parts for error in part[2]),
    )


def _process(
    make_call: MakeCall,
    context: dict[str, Any],
    n: int,
    threads: int,
    seconds: float,
    barrier: Any,  # noqa: ANN401  multiprocessing's proxy
    results: Any,  # noqa: ANN401  multiprocessing's proxy
) -> None:
    call = make_call(context | {"process": n})
    latencies: list[list[float]] = [[] for _ in range(threads)]
    errors: list[str] = []
    stop = threading.Event()
    barrier.wait(timeout=60)
    began = time.perf_counter()
    workers = [
        threading.Thread(
            target=_repeat, args=(call, (n * threads + t) * 10_000_000, stop, latencies[t], errors)
        )
        for t in range(threads)
    ]
    for worker in workers:
        worker.start()
    stop.wait(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    results.put((time.perf_counter() - began, [one for mine in latencies for one in mine], errors[:5]))


def _repeat(call: Call, first: int, stop: threading.Event, latencies: list[float], errors: list[str]) -> None:
    number = first
    while not stop.is_set():
        began = time.perf_counter()
        try:
            call(number)
        except GovernorError as error:
            errors.append(str(error))
        latencies.append((time.perf_counter() - began) * 1000)
        number += 1


def medians(runs: Sequence[Run]) -> dict[str, float]:
    """The middle of several runs of one thing, and how far they were apart."""
    rates = [run.per_second for run in runs]
    return {
        "per_second": round(statistics.median(rates), 1),
        "per_second_min": round(min(rates), 1),
        "per_second_max": round(max(rates), 1),
        "p50_ms": round(statistics.median(run.percentile_ms(0.50) for run in runs), 2),
        "p99_ms": round(statistics.median(run.percentile_ms(0.99) for run in runs), 2),
    }


def machine() -> str:
    """What this ran on, in one line."""
    cores = multiprocessing.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"
