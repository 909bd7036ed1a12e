"""Holds that wait for people: what an approver is shown, and the decision bound to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from flask import Response

from governor.api.call import Call
from governor.api.inputs import DecisionIn
from governor.api.output import Output, Time
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_requests import RefundRequestOut, shown_request
from governor.domain.approval import ApprovalHold, Vote

COLLECTION = "/api/v1/holds"


class VoteOut(Output):
    """One decision by one person."""

    decision: str
    credential: str
    person: str
    version: int
    reason: str | None
    decided_at: Time


class HoldOut(Output):
    """A hold. A decision on it names `digest` and `version`, which bind it to all of `shown`."""

    id: str
    refund_request: str
    state: str
    digest: str
    version: int
    quorum: int
    approvals: int
    expires_at: Time
    shown: dict[str, Any]
    decisions: list[VoteOut] | None


class HoldsOut(Output):
    """A page of holds, newest first. `decisions` are in the single hold only."""

    data: list[HoldOut]
    has_more: bool
    next_cursor: str | None


def _shown(hold: ApprovalHold, votes: Iterable[tuple[Vote, datetime]] | None) -> dict[str, Any]:
    decisions = None if votes is None else [_vote(vote, at) for vote, at in votes]
    return HoldOut(
        id=hold.id,
        refund_request=hold.request,
        state=hold.state,
        digest=hold.digest,
        version=hold.version,
        quorum=hold.quorum,
        approvals=len(hold.approvals),
        expires_at=hold.expires_at,
        shown=hold.shown,
        decisions=decisions,
    ).model_dump(mode="json")


def _vote(vote: Vote, at: datetime) -> VoteOut:
    return VoteOut(
        decision=vote.choice,
        credential=vote.credential,
        person=vote.person,
        version=vote.version,
        reason=vote.reason,
        decided_at=at,
    )


def _list(call: Call) -> Response:
    found = call.use.queries.holds(call.caller, after=call.after, at_most=call.page_size + 1)
    return page(call, found, lambda one: _shown(one[1], None), lambda one: one[0].id)


def _read(call: Call, hold_id: str) -> Response:
    return answer(_shown(*call.use.queries.hold(call.caller, hold_id)))


def _decide(call: Call, hold_id: str) -> Response:
    body = call.body(DecisionIn)
    request = call.use.decide_hold(
        call.caller, hold_id, body.decision, body.digest, body.version, body.reason, call.key
    )
    return answer(shown_request(request, call.caller))


ROUTES = (
    Route("GET", COLLECTION, _list, "The holds that wait for a decision.", HoldsOut, listing=True),
    Route(
        "GET",
        f"{COLLECTION}/<hold_id>",
        _read,
        "One hold with exactly what its approver decides on.",
        HoldOut,
        problems=("hold_not_found",),
    ),
    Route(
        "POST",
        f"{COLLECTION}/<hold_id>/decisions",
        _decide,
        "Approve or reject what was shown. Approving less and returning with a question are not offered yet.",
        RefundRequestOut,
        body=DecisionIn,
        keyed=True,
        problems=(
            "hold_not_found",
            "self_approval",
            "above_own_limit",
            "hold_changed",
            "hold_expired",
            "hold_already_decided",
        ),
    ),
)
