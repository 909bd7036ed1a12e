"""Holds that wait for people: what an approver is shown, the decision bound to it, and answers to questions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from flask import Response

from governor.api.call import Call
from governor.api.inputs import AnswerIn, DecisionIn, NothingIn
from governor.api.output import Output, Time
from governor.api.refund_requests import COLLECTION as REFUND_REQUESTS
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_requests import RefundRequestOut, shown_request
from governor.domain.approval import ApprovalHold, Vote
from governor.domain.lifecycle import State
from governor.usecases.replay import Answer

COLLECTION = "/api/v1/holds"


class VoteOut(Output):
    """One decision by one person. `amount` is how much an approval approves; null for what approves nothing."""

    decision: str
    credential: str
    person: str
    version: int
    reason: str | None
    amount: int | None
    instead_of: list[str]
    decided_at: Time


class AskedOut(Output):
    """What a rule or limit (`asked_by`) still asks for: so many more `people` of these `approvers`; null: of anybody who approves.

    One approval can count for several of these. A place that a stand-in has taken is not asked for any more.
    """

    people: int
    approvers: list[str] | None
    asked_by: str


class HoldOut(Output):
    """A hold. A decision on it names `digest` and `version`, which bind it to all of `shown`.

    `approved_by` are the people who have approved this version; it is approved once nothing is `still_asked`. `quorum` is the
    most that any one rule asks for: where several ask, as many approvals need not be enough. What is decided asks nobody.
    `conversation` in `shown` is untrusted text.
    """

    id: str
    refund_request: str
    state: str
    digest: str
    version: int
    quorum: int
    approvals: int
    approved_by: list[str]
    still_asked: list[AskedOut]
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
        approved_by=sorted(hold.approvals),
        still_asked=_asked(hold),
        expires_at=hold.expires_at,
        shown=dict(hold.shown),
        decisions=decisions,
    ).model_dump(mode="json")


def _asked(hold: ApprovalHold) -> list[AskedOut]:
    waits = hold.state is State.PENDING_APPROVAL
    return [
        AskedOut(
            people=need.quorum,
            approvers=None if need.approvers is None else list(need.approvers),
            asked_by=need.asked_by,
        )
        for need in (hold.still_asked if waits else ())
    ]


def _vote(vote: Vote, at: datetime) -> VoteOut:
    return VoteOut(
        decision=vote.choice,
        credential=vote.credential,
        person=vote.person,
        version=vote.version,
        reason=vote.reason,
        amount=vote.amount_minor,
        instead_of=list(vote.instead_of),
        decided_at=at,
    )


def _list(call: Call) -> Response:
    found = call.use.queries.holds(call.caller, after=call.after, at_most=call.page_size + 1)
    return page(call, found, lambda one: _shown(one[1], None), lambda one: one[0].id)


def _read(call: Call, hold_id: str) -> Response:
    return answer(_shown(*call.use.queries.hold(call.caller, hold_id)))


def _decide(call: Call, hold_id: str) -> Response:
    body = call.body(DecisionIn)
    request = call.use.decide_hold(call.caller, hold_id, body.ballot(), call.key)
    return answer(shown_request(request, call.caller))


def _answer(call: Call, request_id: str) -> Response:
    body = call.body(AnswerIn)
    return _told(call, call.use.answer_question(call.caller, request_id, body.text, call.key))


def _nudge(call: Call, request_id: str) -> Response:
    call.body(NothingIn)
    return _told(call, call.use.nudge_approvers(call.caller, request_id, call.key))


def _told(call: Call, told: Answer) -> Response:
    """The request after its requester has said something to its approvers."""
    sent = {"Idempotent-Replayed": "true"} if told.replayed else {}
    return answer(shown_request(told.request, call.caller), 200, sent)


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
        "Approve what was shown or less of it, return it with a question, or reject it; the last two with a reason.",
        RefundRequestOut,
        body=DecisionIn,
        keyed=True,
        problems=(
            "hold_not_found",
            "self_approval",
            "above_own_limit",
            "not_asked",
            "payment_not_refundable",
            "payment_disputed",
            "amount_exceeds_refundable",
            "payment_not_found",
            "payment_facts_unavailable",
            "frozen",
            "hold_changed",
            "second_person_needed",
            "hold_expired",
            "hold_already_decided",
        ),
    ),
    Route(
        "POST",
        f"{REFUND_REQUESTS}/<request_id>/answers",
        _answer,
        "Answer the question with which an approver has returned your request. Its time to be decided stays.",
        RefundRequestOut,
        body=AnswerIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=(
            "refund_request_not_found",
            "not_yours",
            "nothing_asked",
            "hold_expired",
            "hold_already_decided",
        ),
    ),
    Route(
        "POST",
        f"{REFUND_REQUESTS}/<request_id>/nudge",
        _nudge,
        "Remind the approvers of your request, at most once an hour. It waits as before.",
        RefundRequestOut,
        body=NothingIn,
        body_optional=True,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=(
            "refund_request_not_found",
            "not_yours",
            "answer_first",
            "nudged_already",
            "hold_expired",
            "hold_already_decided",
        ),
    ),
)
