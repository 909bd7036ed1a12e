"""`bench dispatch`: queue → worker processes → twin → settled, at the environment's rate and as fast as it goes.

First the twin answers in 400 ms, as Stripe does: the rate must be used, and never be exceeded in any second of the
twin's own log. Then without the delay and with a rate nobody reaches: against a bare loop of SDK calls with as many
threads.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from governor.bench.dispatching import WORKERS, Dispatching, dispatching
from governor.bench.measure import Effort, Run, interleave, medians
from governor.bench.provider_side import bare_loop, forget_orders, refunds_by_second, slow_refunds
from governor.bench.report import Report, fsck, ratio, report

RATE = 25
DELAY_MS = 400
CALLS_IN_FLIGHT = 16
"""Of one worker (workers/drain.py); a bare loop gets as many threads."""
REFUNDS = 300
UNLIMITED = 1000

DEFAULT = Effort(callers=WORKERS * CALLS_IN_FLIGHT, processes=WORKERS, rounds=3, seconds=2.0)


def run(
    effort: Effort = DEFAULT,
    *,
    refunds: int = REFUNDS,
    delay_ms: int = DELAY_MS,
    database_url: str | None = None,
    redis_url: str | None = None,
) -> Report:
    """Both parts in one world; `ratio` is of the rate, `ratio_to_loop` of the bare loop."""
    with dispatching(database_url, redis_url) as here:
        figures: dict[str, dict[str, float]] = {"at_the_rate": _at_the_rate(here, refunds, delay_ms)}
        governed, loop, errors = _unlimited(here, effort, refunds)
        figures |= {"unlimited": governed, "bare_loop": loop}
        books = fsck(here.app)
    most = figures["at_the_rate"]["most_in_a_second"]
    if most > RATE:
        errors.append(rate_exceeded(most))
    return report(
        figures,
        "bare_loop",
        fsck=books,
        errors=errors,
        runs=effort.rounds,
        ratio=ratio(figures["at_the_rate"]["per_second"], RATE),
        ratio_to_loop=ratio(governed["per_second"], loop["per_second"]),
    )


def rate_exceeded(most: float) -> str:
    """The error of so many calls in one second. Calls that a crowded machine kept on their way arrive together, too."""
    return f"at_the_rate: {most:g} calls in one second; {RATE} are allowed"


def _at_the_rate(here: Dispatching, refunds: int, delay_ms: int) -> dict[str, float]:
    """What the twin saw. The first and the last second are not whole, so they do not count for the rate."""
    world, caller = here.environment("rated", refunds, RATE)
    here.admit(caller, world.payments, 100, "rated")
    slow_refunds(here.provider_url, delay_ms)
    with here.processes():
        here.wait_until_settled("rated")
    forget_orders(here.provider_url)
    seen = refunds_by_second(here.provider_url)
    return {"per_second": round(_whole_seconds(seen), 2), "most_in_a_second": float(max(seen.values()))}


def _whole_seconds(seen: Mapping[int, int]) -> float:
    inner = [seen.get(second, 0) for second in range(min(seen) + 1, max(seen))]
    return statistics.mean(inner) if inner else 0.0


def _unlimited(
    here: Dispatching, effort: Effort, refunds: int
) -> tuple[dict[str, float], dict[str, float], list[str]]:
    world, caller = here.environment("unlimited", refunds, UNLIMITED)
    loops: list[Run] = []
    rates: list[float] = []
    one_round = Effort(effort.callers, effort.processes, 1, effort.seconds)
    with here.processes():
        for turn in range(effort.rounds):
            word = f"turn{turn}"
            context = {
                "provider_url": here.provider_url,
                "payments": world.payments,
                "callers": effort.callers,
                "word": word,
            }
            loops += interleave({"loop": bare_loop}, context, one_round)["loop"]
            here.admit(caller, world.payments, 100 + turn, word)
            here.wait_until_settled("unlimited")
            rates.append(refunds / here.seconds_of("unlimited", word))
    governed = {
        "per_second": round(statistics.median(rates), 1),
        "per_second_min": round(min(rates), 1),
        "per_second_max": round(max(rates), 1),
    }
    return governed, medians(loops), [error for loop in loops for error in loop.errors]
