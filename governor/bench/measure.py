"""Driving many callers in several processes for a bounded time: several subjects in turn, and what came out."""

from __future__ import annotations

import multiprocessing
import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

Call = Callable[[int], None]
"""One operation; the argument is a number that no other call of this measurement gets."""

MakeCall = Callable[[dict[str, Any]], Call]
"""Builds the operation inside the process that will run it."""

SLOT = 1_000_000
"""Numbers that one thread has for itself in one run."""

START_SECONDS = 60.0
"""How long the processes may take to import and build what they measure."""


class BrokenRunError(Exception):
    """A measuring process could not build or end its work, so there is nothing to report."""


@dataclass(frozen=True)
class Effort:
    """How much is measured: `rounds` times every subject in turn for `seconds`, by `callers` in `processes`.

    `first_slot` moves the numbers on, for a second measurement of the same world.
    """

    callers: int
    processes: int
    rounds: int
    seconds: float
    first_slot: int = 0


@dataclass(frozen=True)
class Run:
    """One measured run. `seconds` is the wall time of the slowest process; latencies in milliseconds."""

    seconds: float
    latencies_ms: tuple[float, ...]
    errors: tuple[str, ...]

    @property
    def per_second(self) -> float:
        """Completed operations a second."""
        return len(self.latencies_ms) / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that this share of the operations stayed under; 0 when there was none."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def interleave(
    subjects: Mapping[str, MakeCall], context: dict[str, Any], effort: Effort
) -> dict[str, list[Run]]:
    """Let the callers repeat each subject for its seconds, one subject after the other, round after round.

    A slow minute of the machine so meets all subjects alike. The processes are spawned once, build every
    operation, and meet at a barrier before each subject.

    Raises:
        BrokenRunError: a process did not come through.
    """
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(effort.processes), spawn.Queue()
    started = [
        spawn.Process(
            target=_process, args=(dict(subjects), context, effort, n, barrier, results), daemon=True
        )
        for n in range(effort.processes)
    ]
    for process in started:
        process.start()
    runs: dict[str, list[Run]] = {name: [] for name in subjects}
    try:
        for _ in range(effort.rounds):
            for name in subjects:
                parts = [results.get(timeout=effort.seconds + START_SECONDS) for _ in started]
                runs[name].append(_whole(parts))
    finally:
        for process in started:
            process.join(timeout=10)
            process.kill()
            process.join()
        results.close()
    return runs


def _whole(parts: Sequence[Run | str]) -> Run:
    broken = [part for part in parts if isinstance(part, str)]
    if broken:
        raise BrokenRunError(broken[0])
    runs = [part for part in parts if isinstance(part, Run)]
    return Run(
        seconds=max(run.seconds for run in runs),
        latencies_ms=tuple(latency for run in runs for latency in run.latencies_ms),
        errors=tuple(error for run in runs for error in run.errors),
    )


def _process(
    subjects: dict[str, MakeCall],
    context: dict[str, Any],
    effort: Effort,
    n: int,
    barrier: Any,  # noqa: ANN401  multiprocessing's proxy
    results: Any,  # noqa: ANN401  multiprocessing's proxy
) -> None:
    try:
        calls = [make_call(context | {"process": n}) for make_call in subjects.values()]
        threads = max(1, effort.callers // effort.processes)
        slots = [turn * len(calls) + m for turn in range(effort.rounds) for m in range(len(calls))]
        for slot in slots:
            first = effort.first_slot + (slot * effort.processes + n) * threads
            barrier.wait(timeout=START_SECONDS)
            results.put(_repeated(calls[slot % len(calls)], effort.seconds, first, threads))
    except Exception as error:  # noqa: BLE001  whatever it is, the measuring parent raises it
        barrier.abort()
        results.put(f"{type(error).__name__}: {error}")


def _repeated(call: Call, seconds: float, first: int, threads: int) -> Run:
    latencies: list[list[float]] = [[] for _ in range(threads)]
    errors: list[str] = []
    stop = threading.Event()
    workers = [
        threading.Thread(
            target=_repeat, args=(call, (first + t) * SLOT, stop, latencies[t], errors), daemon=True
        )
        for t in range(threads)
    ]
    began = time.perf_counter()
    for worker in workers:
        worker.start()
    stop.wait(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    took = time.perf_counter() - began
    return Run(took, tuple(one for mine in latencies for one in mine), tuple(errors[:5]))


def _repeat(call: Call, first: int, stop: threading.Event, latencies: list[float], errors: list[str]) -> None:
    """Until told to stop, or until the first failure: a run with a failure is not reported as fast.

    At least once: a figure of no call at all would say nothing, and a slow machine may tell to stop before it begins.
    """
    for number in count(first):
        began = time.perf_counter()
        try:
            call(number)
        except Exception as error:  # noqa: BLE001  any failure of any call fails the bench
            errors.append(f"{type(error).__name__}: {error}")
            return
        latencies.append((time.perf_counter() - began) * 1000)
        if stop.is_set():
            return


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


def errors_of(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """What failed, a few of each subject."""
    return [f"{name}: {error}" for name, some in runs.items() for run in some for error in run.errors][:10]
