"""Refund requests: ask, look, cancel, and preview."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from flask import Response, g

from governor.api.call import Call
from governor.api.denials import denial_document
from governor.api.inputs import NothingIn, RefundRequestIn
from governor.api.output import Output
from governor.api.responses import answer, answer_with_etag, page, problem
from governor.api.route import Route
from governor.api.shown_requests import (
    RETRY_AFTER_SECONDS,
    PreviewOut,
    RefundRequestOut,
    is_final,
    shown_preview,
    shown_request,
)
from governor.api.shown_timeline import shown_timeline
from governor.checkpoint import checkpoint
from governor.domain.admission import Denial
from governor.domain.errors import Unavailable
from governor.domain.hold_versions import may_read_words
from governor.domain.identity import canonical_case, customer_id, payment_id
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.http.query import matching
from governor.ports.records import RequestFilter
from governor.usecases.replay import Answer

COLLECTION = "/api/v1/refund-requests"
_CREDENTIAL = re.compile(r"cred_[0-9a-z]{26}")


class RefundRequestsOut(Output):
    """A page of refund requests, newest first."""

    data: list[RefundRequestOut]
    has_more: bool
    next_cursor: str | None


def _create(call: Call) -> Response:
    checkpoint("admit.authenticated")
    body = call.body(RefundRequestIn)
    checkpoint("admit.received")
    decided = call.use.request_refund(call.caller, body.ask(), call.key, body.expected_refundable)
    waited: dict[str, str] = {}
    if call.wait_seconds and not is_final(decided.request):
        # What is decided is told, though it cannot be looked at any more.
        with suppress(Unavailable):
            wanted = (call.caller, decided.request.id, float(call.wait_seconds))
            decided = replace(decided, request=call.use.queries.wait_for_final(*wanted))
    if call.wait_seconds:
        waited = {"Preference-Applied": f"wait={call.wait_seconds}"}
    return _decided(call, decided, waited)


def _decided(call: Call, decided: Answer, headers: dict[str, str]) -> Response:
    """The standing of a request as an answer: 403 denied, 200 final, 202 under way."""
    request = decided.request
    others = _others(call, request)
    sent = {"Location": f"{COLLECTION}/{request.id}", **headers}
    if decided.replayed:
        sent["Idempotent-Replayed"] = "true"
    if request.state is State.DENIED:
        return problem(denial_document(request, call.caller, call.sent.path, g.request_id, others), sent)
    if is_final(request):
        return answer(shown_request(request, call.caller, others), 200, sent)
    sent["Retry-After"] = str(RETRY_AFTER_SECONDS[request.state])
    return answer(shown_request(request, call.caller, others), 202, sent)


def _others(call: Call, request: RefundRequest) -> tuple[RefundRequest, ...] | None:
    """What is unresolved on the same payment; None, "not looked at", when only that cannot be read now."""
    try:
        return call.use.queries.unresolved(call.caller, request.payment, but=request.id)
    except Unavailable:
        return None


def _list(call: Call) -> Response:
    chosen = RequestFilter(
        states=call.many("state", State),
        payments=call.many("payment", payment_id),
        cases=call.many("case", canonical_case),
        customers=call.many("customer", customer_id),
        requested_by=call.many("requested_by", matching(_CREDENTIAL)),
    )
    size = call.page_size
    found = call.use.queries.requests(call.caller, chosen, after=call.after, at_most=size + 1)
    return page(call, found, lambda request: shown_request(request, call.caller), lambda request: request.id)


def _read(call: Call, request_id: str) -> Response:
    expand = call.one("expand", matching(re.compile("timeline")))
    request = call.use.queries.request(call.caller, request_id)
    others = call.use.queries.unresolved(call.caller, request.payment, but=request.id)
    body = shown_request(request, call.caller, others)
    if expand:
        votes = call.use.queries.votes(call.caller, request)
        evidence = call.use.queries.timeline(call.caller, request_id)
        own = may_read_words(request, call.caller.credential)
        body["timeline"] = shown_timeline(request, votes, evidence, own=own)
    later = {} if is_final(request) else {"Retry-After": str(RETRY_AFTER_SECONDS[request.state])}
    return answer_with_etag(call, body, later)


def _cancel(call: Call, request_id: str) -> Response:
    call.body(NothingIn)
    canceled = call.use.cancel_refund(call.caller, request_id, call.key)
    return _decided(call, canceled, {})


def _preview(call: Call) -> Response:
    body = call.body(RefundRequestIn)
    decision = call.use.request_refund.preview(call.caller, body.ask(), body.expected_refundable)
    others = call.use.queries.unresolved(call.caller, body.payment)
    shown: dict[str, Any] = shown_preview(decision, body.currency, call.caller, others)
    return answer(shown)


_FACTS = (
    "payment_not_found",
    "payment_facts_unavailable",
    "frozen",
    "currency_mismatch",
    "refundable_mismatch",
)
_REPEATS = (
    "live_mode_refused",
    "duplicate_needs_human",
    "duplicate_needs_reason",
    "refund_request_not_found",
)

_STANDING = ("Location", "Retry-After", "Idempotent-Replayed")

ROUTES = (
    Route(
        "POST",
        COLLECTION,
        _create,
        "Ask for a refund. Capacity is held from the answer on; a refusal is recorded with its reasons.",
        RefundRequestOut,
        statuses=(202, 200),
        body=RefundRequestIn,
        keyed=True,
        waits=True,
        headers=_STANDING,
        problems=(*_FACTS, *_REPEATS, *(denial.value for denial in Denial)),
    ),
    Route(
        "GET",
        COLLECTION,
        _list,
        "Refund requests, newest first. A filter may repeat and then means any of its values.",
        RefundRequestsOut,
        listing=True,
        query=("state", "payment", "case", "customer", "requested_by"),
    ),
    Route(
        "GET",
        f"{COLLECTION}/<request_id>",
        _read,
        "One refund request; with `expand=timeline` everything that was learnt from the provider.",
        RefundRequestOut,
        headers=("ETag", "Retry-After"),
        query=("expand",),
        problems=("refund_request_not_found",),
    ),
    Route(
        "POST",
        f"{COLLECTION}/<request_id>/cancel",
        _cancel,
        "Stop a request that is not sent yet; afterwards this is a recorded wish and the capacity stays held.",
        RefundRequestOut,
        statuses=(200, 202),
        body=NothingIn,
        body_optional=True,
        keyed=True,
        headers=_STANDING,
        problems=("refund_request_not_found", "not_yours", "already_final"),
    ),
    Route(
        "POST",
        f"{COLLECTION}/preview",
        _preview,
        "The verdict this request would get now. Nothing is booked; it is no promise.",
        PreviewOut,
        body=RefundRequestIn,
        problems=(*_FACTS, *_REPEATS),
    ),
)
