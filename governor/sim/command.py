"""`governor sim`: look for an order of events in which a promise does not hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter
from typing import Any

import click

from governor.cli.saying import REFUSED, Command, Said
from governor.sim.run import STEPS, Life, live
from governor.sim.shrink import shrunk

YEAR = timedelta(days=365)


@dataclass
class Report:
    """What was found in many seeds."""

    steps: int
    seeds: int = 0
    passed: timedelta = timedelta()
    seconds: float = 0.0
    violations: list[Life] = field(default_factory=list)
    marks: Counter[str] = field(default_factory=Counter)
    digest: str = ""
    """Of the last seed's trace: the same in every run."""

    def add(self, life: Life) -> None:
        """One more seed. The way to the first violation is made short, which takes many runs of it."""
        self.seeds += 1
        self.passed += life.passed
        self.marks += life.marks
        self.digest = life.digest
        if life.violation is not None:
            self.violations.append(life if self.violations else shrunk(life, self.steps))

    def as_json(self) -> dict[str, Any]:
        """Figures, situations that were met, and the way to every violation."""
        return {
            "seeds": self.seeds,
            "steps": self.seeds * self.steps,
            "simulated_years": round(self.passed / YEAR, 1),
            "seconds": round(self.seconds, 1),
            "seeds_per_second": round(self.seeds / self.seconds, 1),
            "digest": self.digest,
            "marks": dict(self.marks.most_common()),
            "violations": [
                {"seed": one.seed, "violation": str(one.violation), "trace": one.trace}
                for one in self.violations
            ],
        }


def simulate(first: int, seeds: int, steps: int) -> Report:
    """Run that many seeds, one after the other."""
    report = Report(steps)
    started = perf_counter()
    for seed in range(first, first + seeds):
        report.add(live(seed, steps))
    report.seconds = perf_counter() - started
    return report


@click.command("sim", cls=Command)
@click.option(
    "--seeds", type=click.IntRange(min=1), help="How many seeds to run.  [default: 200, or 1 with --seed]"
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="The first seed; alone it is run and its trace is shown."
)
@click.option(
    "--steps", type=click.IntRange(min=1), default=STEPS, show_default=True, help="Steps of each seed."
)
def sim(seeds: int | None, seed: int | None, steps: int) -> Said:
    """Run the use cases over a store and a provider in memory, with faults, in orders drawn from seeds.

    After every step the books are compared with what was admitted and with what the provider really did. A seed
    that breaks a promise is told, the way to the first is made short, and each runs again byte for byte. Exit status 1 when one did.
    """
    report = simulate(seed or 0, seeds or (200 if seed is None else 1), steps)
    trace = live(seed, steps).trace if seed is not None and seeds is None else []
    return Said(report.as_json(), "\n".join([*trace, _told(report)]), REFUSED if report.violations else 0)


def _told(report: Report) -> str:
    shown = report.as_json()
    lines = [
        f"{shown['seeds']} seeds of {report.steps} steps: {len(report.violations)} violations.",
        f"{shown['simulated_years']} years in {shown['seconds']} s, {shown['seeds_per_second']} seeds/s.",
        f"The last trace is {report.digest}.",
    ]
    for number, life in enumerate(report.violations):
        lines += ["", f"Seed {life.seed} breaks a promise: {life.violation}"]
        lines += ["The shortest way to it that was found:", *life.trace] if number == 0 else []
    return "\n".join(lines)
