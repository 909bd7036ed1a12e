"""`bench limits`: what it costs that sixteen limits apply to a request instead of one."""

from __future__ import annotations

from typing import Any

from governor.bench.asking import governed
from governor.bench.measure import Call, Effort, errors_of, interleave, medians
from governor.bench.report import Report, fsck, ratio, report
from governor.bench.world import application, database, found

DEFAULT = Effort(callers=32, processes=2, rounds=5, seconds=1.5)
FEW, MANY = 1, 16


def few(context: dict[str, Any]) -> Call:
    """An admission where one limit applies."""
    return governed(context["few"])


def many(context: dict[str, Any]) -> Call:
    """An admission where sixteen apply."""
    return governed(context["many"])


def run(effort: Effort = DEFAULT, *, database_url: str | None = None) -> Report:
    """Two environments of one database, in turn; `ratio` is how many times slower the many are."""
    with database(database_url) as url:
        app = application(url)
        try:
            worlds = {
                name: found(app, limits=limits, environment=name).context()
                for name, limits in (("few", FEW), ("many", MANY))
            }
            runs = interleave({"few": few, "many": many}, worlds, effort)
            books = fsck(app)
        finally:
            app.engine.dispose()
    figures = {name: medians(some) for name, some in runs.items()}
    return report(
        figures,
        "many",
        fsck=books,
        errors=errors_of(runs),
        runs=effort.rounds,
        ratio=ratio(figures["few"]["per_second"], figures["many"]["per_second"]),
    )
