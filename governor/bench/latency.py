"""`bench latency`: from admitted to settled in a system with nothing else to do, against one bare SDK call."""

from __future__ import annotations

import statistics
import time

from governor.bench.dispatching import Dispatching, dispatching
from governor.bench.measure import BrokenRunError
from governor.bench.provider_side import bare_refund
from governor.bench.report import Report, fsck, ratio, report
from governor.domain.admission import Ask
from governor.domain.lifecycle import State
from governor.usecases.callers import Caller

REFUNDS = 40
_LOOK_SECONDS = 0.002
_PATIENCE_SECONDS = 120.0


def run(*, refunds: int = REFUNDS, database_url: str | None = None, redis_url: str | None = None) -> Report:
    """A refund, a bare call, a refund, …; `ms_over_one_call` is what governor adds at the median."""
    with dispatching(database_url, redis_url) as here:
        world, caller = here.environment("idle", refunds, 1000)
        bare = bare_refund(here.provider_url)
        governed_ms, bare_ms = [], []
        with here.processes(workers=1):
            for n, payment in enumerate(world.payments):
                governed_ms.append(_admitted_to_settled_ms(here, caller, payment, f"idle-{n:06d}"))
                began = time.perf_counter()
                bare(payment, 1, f"bare-{n}")
                bare_ms.append((time.perf_counter() - began) * 1000)
        books = fsck(here.app)
    figures = {"governed": _spread(governed_ms), "bare_call": _spread(bare_ms)}
    return report(
        figures,
        "governed",
        fsck=books,
        errors=[],
        runs=refunds,
        ratio=ratio(figures["governed"]["p50_ms"], figures["bare_call"]["p50_ms"]),
        ms_over_one_call=figures["governed"]["p50_ms"] - figures["bare_call"]["p50_ms"],
    )


def _admitted_to_settled_ms(here: Dispatching, caller: Caller, payment: str, key: str) -> float:
    request = here.app.request_refund(
        caller, Ask(payment, 100, "usd", None, None, None, None), key, None
    ).request
    began = time.perf_counter()
    while time.perf_counter() - began < _PATIENCE_SECONDS:
        with here.app.store.reading() as reads:
            now = reads.request(request.environment, request.id)
        if now is not None and now.state is State.SUCCEEDED:
            return (time.perf_counter() - began) * 1000
        time.sleep(_LOOK_SECONDS)
    raise BrokenRunError(f"{request.id} was not settled in {_PATIENCE_SECONDS} s")


def _spread(values_ms: list[float]) -> dict[str, float]:
    ordered = sorted(values_ms)
    return {
        "p50_ms": round(statistics.median(ordered), 1),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))], 1),
        "least_ms": round(ordered[0], 1),
    }
