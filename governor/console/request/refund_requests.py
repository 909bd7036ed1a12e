"""Refund requests: the list that everybody begins from, and the page that everything else links to."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Response

from governor.console import words
from governor.console.page import EVERYONE, Group, Page
from governor.console.request.asking import asked_again
from governor.console.request.letter import letter_to_customer
from governor.console.request.story import story_of
from governor.console.verdict import verdict_on
from governor.console.visit import Visit
from governor.console.watching import is_watching, look_anew, nothing_new
from governor.domain.credentials import Role
from governor.domain.hold_versions import may_read_words, open_question, speaks_for
from governor.domain.identity import canonical_case, customer_id, payment_id
from governor.domain.lifecycle import OPEN_STATES, State
from governor.domain.requests import RefundRequest
from governor.http.query import matching
from governor.ports.records import RequestFilter
from governor.usecases.browse import RefundStory

_CREDENTIAL = re.compile(r"cred_[0-9a-z]{26}")
_FILTERS: dict[str, Callable[[str], str]] = {
    "state": State,
    "payment": payment_id,
    "case": canonical_case,
    "customer": customer_id,
    "requested_by": matching(_CREDENTIAL),
}


def _list(visit: Visit) -> Response:
    chosen = {name: visit.many(name, check) for name, check in _FILTERS.items()}
    wanted = RequestFilter(
        states=chosen["state"],
        payments=chosen["payment"],
        cases=chosen["case"],
        customers=chosen["customer"],
        requested_by=chosen["requested_by"],
    )
    found = visit.use.queries.requests(visit.caller, wanted, after=visit.after, at_most=visit.page_size + 1)
    return visit.show(
        "refund_requests/list.html",
        listed=visit.listed(found, lambda request: request.id),
        chosen={name: values[0] if values else "" for name, values in chosen.items()},
        is_filtered=any(chosen.values()),
        states=[(state.value, words.STATES[state][0]) for state in State],
    )


def _read(visit: Visit, request_id: str) -> Response:
    """Its whole story. A requester sees it change while they wait."""
    if is_watching(visit.sent):
        return _watched(visit, request_id)
    told = visit.use.browse.story(visit.caller, request_id)
    request, is_asker = told.request, visit.caller.role is Role.AGENT
    reads_words = may_read_words(request, visit.caller.credential)
    return visit.show(
        "refund_requests/one.html",
        watches=is_asker and request.state in OPEN_STATES,
        stands=_stands(request),
        verdict=verdict_on(request),
        last_words=_last_words(told) if reads_words else None,
        letter=letter_to_customer(request, told.facts) if is_asker else None,
        again=asked_again(request),
        request=request,
        note=request.note if reads_words else None,
        note_is_hidden=not reads_words,
        unresolved=told.unresolved,
        facts=told.facts,
        story=story_of(told, with_words=reads_words),
        limits=request.limits,
        may_cancel=_may_cancel(visit, request),
    )


def _watched(visit: Visit, request_id: str) -> Response:
    """Whether what an open page `shows` is still so: nothing but the request is read each time."""
    request = visit.use.queries.request(visit.caller, request_id)
    return nothing_new() if _stands(request) == visit.one("shows", str) else look_anew()


def _stands(request: RefundRequest) -> str:
    """What makes an open page of it look anew once it is another: nearly all that is on it follows from these."""
    wanted = "wanted" if request.cancel_requested_at is None else "not wanted"
    return f"{request.state}, {request.next_action}, {wanted}, version {request.hold_version}"


def _last_words(told: RefundStory) -> str | None:
    """What an approver wrote that its requester has to read now: a question that is open, or why it was rejected."""
    request = told.request
    if request.state is State.PENDING_APPROVAL:
        return open_question(request)
    return told.votes[-1][0].reason if request.state is State.REJECTED else None


def _may_cancel(visit: Visit, request: RefundRequest) -> bool:
    """Whether canceling would be heard: of an operator, and of an agent that speaks for it."""
    own = visit.caller.role is Role.AGENT and speaks_for(request, visit.caller.credential)
    wanted = request.cancel_requested_at is None and request.state in OPEN_STATES
    return wanted and (own or visit.caller.role is Role.OPERATOR)


PAGES = (
    Page(
        "GET",
        "/refund-requests",
        _list,
        EVERYONE,
        "Refund requests",
        query=tuple(_FILTERS),
        listing=True,
        group=Group.REFUNDS,
        label="Refund requests",
        finds=(("pi_", "payment"), ("cus_", "customer")),
    ),
    Page(
        "GET",
        "/refund-requests/<request_id>",
        _read,
        EVERYONE,
        "Refund request",
        query=("shows",),
        finds=(("rr_", "request_id"),),
    ),
)
