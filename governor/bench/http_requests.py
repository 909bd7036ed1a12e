"""`bench http`: an authenticated `POST /api/v1/refund-requests` against one INSERT behind the same authentication.

Both are served by the same gunicorn, with production's settings, and called by a process of its own over kept
connections, in turn.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from governor.bench import one_insert
from governor.bench.asking import ask, key
from governor.bench.calling import Caller
from governor.bench.measure import Call, Effort, errors_of, interleave, medians
from governor.bench.processes import web
from governor.bench.report import Report, fsck, ratio, report
from governor.bench.world import application, as_variables, database, found, settings
from governor.bootstrap import Application

DEFAULT = Effort(callers=32, processes=1, rounds=5, seconds=2.5)
REQUESTS = "/api/v1/refund-requests"


def document(payments: tuple[str, ...], number: int) -> dict[str, Any]:
    """The JSON of the request of that number."""
    asked = ask(payments, number)
    return {"payment": asked.payment, "amount": asked.amount_minor, "currency": asked.currency}


def governed(context: dict[str, Any]) -> Call:
    """One request over HTTP that must be admitted."""
    return _posting(context, REQUESTS, 202)


def insert(context: dict[str, Any]) -> Call:
    """The yardstick over HTTP."""
    return _posting(context, one_insert.RULE, 201)


def _posting(context: dict[str, Any], path: str, expect: int) -> Call:
    post, payments = (
        Caller(context["url"], {"Authorization": f"Bearer {context['agent_key']}"}),
        context["payments"],
    )

    def call(number: int) -> None:
        headers = {"Idempotency-Key": key(number)}
        post("POST", path, document(payments, number), expect=expect, headers=headers)

    return call


@contextmanager
def served(database_url: str | None, *, workers: int = 2) -> Iterator[tuple[Application, dict[str, Any]]]:
    """A world with its web server: an application to look at it with, and the context of its callers."""
    with tempfile.TemporaryDirectory(prefix="governor-bench-web-") as folder, database(database_url) as url:
        app = application(url)
        try:
            context = found(app).context()
            with app.engine.begin() as connection:
                connection.execute(one_insert.TABLE)
            with web(Path(folder), as_variables(settings(url)), workers=workers) as port:
                yield app, context | {"url": f"http://127.0.0.1:{port}"}
        finally:
            app.engine.dispose()


def run(effort: Effort = DEFAULT, *, workers: int = 2, database_url: str | None = None) -> Report:
    """Interleave the two, and report the ratio of their rates."""
    with served(database_url, workers=workers) as (app, context):
        runs = interleave({"governed": governed, "insert": insert}, context, effort)
        books = fsck(app)
    figures = {name: medians(some) for name, some in runs.items()}
    return report(
        figures,
        "governed",
        fsck=books,
        errors=errors_of(runs),
        runs=effort.rounds,
        ratio_to_insert=ratio(figures["governed"]["per_second"], figures["insert"]["per_second"]),
    )
