"""Batches: many intents in one call, each with its own key, its own decision and its own answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, g

from governor.api.call import Call
from governor.api.denials import denial_document
from governor.api.inputs import BatchIn, BatchLineIn
from governor.api.output import Output
from governor.api.problems import document_of
from governor.api.responses import answer
from governor.api.route import Route
from governor.api.shown_requests import RefundRequestOut, is_final, shown_request
from governor.domain.errors import GovernorError, Malformed, Refused
from governor.domain.lifecycle import State
from governor.usecases.replay import Answer
from governor.usecases.request_refund import BatchLine

MAX_LINES = 500


class LineOut(Output):
    """The answer to one line: what its own POST would have been answered."""

    status: int
    replayed: bool
    refund_request: RefundRequestOut | None
    problem: dict[str, Any] | None


class BatchOut(Output):
    """One answer per line, in the order of the lines."""

    data: list[LineOut]


def _create(call: Call) -> Response:
    lines = call.body(BatchIn).lines
    if len(lines) > MAX_LINES:
        raise Malformed("batch_too_large", f"A batch has at most {MAX_LINES} lines.")
    read = [_read(call, line) for line in lines]
    good = [line for line in read if isinstance(line, BatchLine)]
    decided = iter(call.use.request_refund.batch(call.caller, good) if good else ())
    answers = [_shown(call, next(decided) if isinstance(line, BatchLine) else line) for line in read]
    # Only a batch in which every line was admitted may look like a success to somebody who sees no more.
    return answer({"data": answers}, 202 if all(one["problem"] is None for one in answers) else 207)


def _read(call: Call, line: dict[str, Any]) -> BatchLine | Refused:
    """One line, or what is wrong with it: the other lines do not suffer."""
    try:
        body = call.fitting(BatchLineIn, line)
        return BatchLine(body.key(), body.ask(), body.expected_refundable)
    except Refused as refusal:
        return refusal


def _shown(call: Call, outcome: Answer | GovernorError) -> dict[str, Any]:
    where, request_id = call.sent.path, str(g.request_id)
    if isinstance(outcome, GovernorError):
        problem = document_of(outcome, where, request_id)
        return {"status": problem["status"], "replayed": False, "refund_request": None, "problem": problem}
    request, replayed = outcome.request, outcome.replayed
    if request.state is State.DENIED:
        problem = denial_document(request, call.caller, where, request_id)
        return {"status": 403, "replayed": replayed, "refund_request": None, "problem": problem}
    shown = shown_request(request, call.caller)
    status = 200 if is_final(request) else 202
    return {"status": status, "replayed": replayed, "refund_request": shown, "problem": None}


ROUTES: Sequence[Route] = (
    Route(
        "POST",
        "/api/v1/refund-batches",
        _create,
        "Up to 500 requests, each with its own operation key. 207 when any line is not admitted.",
        BatchOut,
        statuses=(202, 207),
        body=BatchIn,
        problems=("batch_too_large",),
    ),
)
