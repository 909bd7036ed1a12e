"""`bench growth`: whether a decision costs more when there are many past requests.

Two databases of one server, one with a short past and one with a long one, asked in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from governor.bench.asking import governed
from governor.bench.history import make_past
from governor.bench.measure import Call, Effort, errors_of, interleave, medians
from governor.bench.report import CLEAN, Report, fsck, ratio, report
from governor.bench.world import application, database, found, second_database
from governor.bootstrap import Application

DEFAULT = Effort(callers=1, processes=1, rounds=5, seconds=1.0)
CROWD = 32
"""Callers of the second part, which asks for throughput."""
AFTERWARDS = 1_000
"""Slots that the first part does not reach."""
YOUNG, OLD, OLDEST = 1_000, 50_000, 10_000_000


def young(context: dict[str, Any]) -> Call:
    """An admission behind a short past."""
    return governed(context["young"])


def old(context: dict[str, Any]) -> Call:
    """An admission behind a long past."""
    return governed(context["old"])


def run(
    effort: Effort = DEFAULT,
    *,
    past: tuple[int, int] = (YOUNG, OLD),
    crowd: int = CROWD,
    database_url: str | None = None,
) -> Report:
    """One caller's latency, then many callers' throughput; `ratio` is how much slower the old one's median is."""
    with ExitStack() as stack:
        first = stack.enter_context(database(database_url))
        second = stack.enter_context(second_database(first, "bench_old"))
        apps = [stack.enter_context(_open(url)) for url in (first, second)]
        worlds = [found(app) for app in apps]
        for app, world, requests in zip(apps, worlds, past, strict=True):
            make_past(app, world, requests)
        contexts = {"young": worlds[0].context(), "old": worlds[1].context()}
        subjects = {"young": young, "old": old}
        single = interleave(subjects, contexts, effort)
        crowded = interleave(subjects, contexts, replace(effort, callers=crowd, first_slot=AFTERWARDS))
        found_wrong = [books for books in map(fsck, apps) if books != CLEAN]
    runs = single | {f"{name}_crowded": some for name, some in crowded.items()}
    figures = {name: medians(some) for name, some in runs.items()}
    return report(
        figures,
        "old",
        fsck=found_wrong[0] if found_wrong else CLEAN,
        errors=errors_of(runs),
        runs=effort.rounds,
        ratio=ratio(figures["old"]["p50_ms"], figures["young"]["p50_ms"]),
        ratio_of_throughput=ratio(
            figures["young_crowded"]["per_second"], figures["old_crowded"]["per_second"]
        ),
    )


@contextmanager
def _open(url: str) -> Iterator[Application]:
    app = application(url)
    try:
        yield app
    finally:
        app.engine.dispose()
