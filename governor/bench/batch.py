"""`bench batch`: refunds a second of one caller, sent 500 in one `POST /api/v1/refund-batches` or one by one."""

from __future__ import annotations

from typing import Any

from governor.bench.asking import key
from governor.bench.calling import Caller, UnexpectedAnswerError
from governor.bench.http_requests import document, governed, served
from governor.bench.measure import SLOT, Call, Effort, errors_of, interleave, medians
from governor.bench.report import Report, fsck, ratio, report

DEFAULT = Effort(callers=1, processes=1, rounds=3, seconds=3.0)
LINES = 500
BATCHES = "/api/v1/refund-batches"


def batched(context: dict[str, Any]) -> Call:
    """One batch over HTTP, every line of which must be admitted."""
    lines, payments = context["lines"], context["payments"]
    post = Caller(context["url"], {"Authorization": f"Bearer {context['agent_key']}"})

    def call(number: int) -> None:
        slot, step = divmod(number, SLOT)
        numbers = range(slot * SLOT + step * lines, slot * SLOT + (step + 1) * lines)
        sent = [{"operation_key": key(n), **document(payments, n)} for n in numbers]
        answered = post("POST", BATCHES, {"lines": sent}, expect=202)["data"]
        if len(answered) != lines or any(line["status"] != 202 for line in answered):
            raise UnexpectedAnswerError("not every line was admitted")

    return call


def run(
    effort: Effort = DEFAULT, *, lines: int = LINES, workers: int = 2, database_url: str | None = None
) -> Report:
    """Interleave the two; `ratio` is refunds a second in batches over refunds a second one by one."""
    with served(database_url, workers=workers) as (app, context):
        runs = interleave({"batches": batched, "singles": governed}, context | {"lines": lines}, effort)
        books = fsck(app)
    figures = {name: medians(some) for name, some in runs.items()}
    figures["batches"]["refunds_per_second"] = round(figures["batches"]["per_second"] * lines, 1)
    figures["singles"]["refunds_per_second"] = figures["singles"]["per_second"]
    return report(
        figures,
        "batches",
        fsck=books,
        errors=errors_of(runs),
        runs=effort.rounds,
        ratio=ratio(*(figures[name]["refunds_per_second"] for name in ("batches", "singles"))),
    )
