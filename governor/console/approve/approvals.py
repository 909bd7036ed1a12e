"""The page where one hold is looked at and decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Any

from flask import Response

from governor.console.approve.ballots import DECISION, USUAL, ballot_of, form_in, said_of
from governor.console.approve.inbox import INBOX, OVERSEERS
from governor.console.fields import Filled, Form
from governor.console.page import Page
from governor.console.visit import Visit
from governor.console.watching import is_watching, look_anew, nothing_new
from governor.domain.care import is_above
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, NotFound, Refused
from governor.domain.lifecycle import FINAL_STATES, State
from governor.domain.requests import RefundRequest, request_of
from governor.usecases.approval_desk import ToDecide

WHY_NOT = {
    "role_not_allowed": "You look at it as somebody who does not approve.",
    "approved_already": "You have approved it; it waits for others.",
    "self_approval": "You asked for it, or act for whoever did: somebody else has to decide.",
    "not_asked": "The rules ask other people to approve it.",
    "above_own_limit": "It is more than you may approve.",
    "second_person_needed": "Somebody who has approved it has seen the secret of your key, or you of theirs, or a third "
    "person of both: somebody else has to approve.",
}


def _look(visit: Visit, hold_id: str) -> Response:
    """One hold. Whoever asks for refunds, and what never waited for people, has the page of the request."""
    if visit.caller.role is Role.AGENT:
        return visit.go(f"/refund-requests/{request_of(hold_id)}")
    if is_watching(visit.sent):
        return _watched(visit, hold_id)
    try:
        found = visit.use.approval_desk.to_decide(visit.caller, hold_id)
    except NotFound:
        return visit.go(f"/refund-requests/{request_of(hold_id)}")
    start = {"reason": visit.one("reason", str) or ""}
    return _shown(visit, found, visit.form(form_in(found.waiting.request.currency), start=start))


def _watched(visit: Visit, hold_id: str) -> Response:
    """Whether what an open page `shows` is still so: the provider is not asked each time."""
    request = visit.use.approval_desk.waiting_one(visit.caller, hold_id).request
    return nothing_new() if _stands(request, visit.now) == visit.one("shows", str) else look_anew()


def _stands(request: RefundRequest, now: datetime) -> str:
    """What makes an open page of it look anew once it is another: its state, and whether it is not to be sent yet."""
    return f"{request.state}, {'later' if _seconds_until(request.due_at, now) else 'due'}"


def _decide(visit: Visit, hold_id: str) -> Response:
    asked = visit.use.approval_desk.waiting_one(visit.caller, hold_id).request
    filled = visit.form(form_in(asked.currency))
    try:
        values = filled.read()
        ballot = ballot_of(values)
        request = visit.use.decide_hold(visit.caller, hold_id, ballot, filled.once)
    except Refused as refusal:
        changes = refusal.extra.get("changes") if isinstance(refusal, Conflict) else None
        anew = visit.use.approval_desk.to_decide(visit.caller, hold_id)
        return _shown(visit, anew, filled.refused(refusal), changes=changes, status=422)
    has_time = visit.shell.environment.undo_seconds > 0 and _seconds_until(request.due_at, visit.now) > 0
    can_undo = has_time and request.attempts == 0
    return visit.go(f"{INBOX}/{hold_id}", said_of(ballot, request, can_undo=can_undo))


def _shown(
    visit: Visit,
    found: ToDecide,
    form: Filled,
    *,
    changes: list[dict[str, Any]] | None = None,
    status: int = 200,
) -> Response:
    """The form always names what is shown now: whoever decides again has had the difference before their eyes."""
    hold, request, here = found.waiting.hold, found.waiting.request, visit.shell.environment
    now = {"digest": (hold.digest,), "version": (str(hold.version),)}
    following = visit.use.approval_desk.queue(visit.caller).after(found.waiting, visit.now)
    return visit.show(
        "approvals/decide.html",
        status=status,
        found=found,
        request=request,
        hold=hold,
        shown=hold.shown,
        usual=USUAL,
        form=replace(form, typed={**form.typed, **now}),
        changes=changes,
        why_not=WHY_NOT.get(found.waiting.why_not or ""),
        must_type=is_above(here.type_above, request.amount_minor, request.currency),
        must_prove=is_above(here.prove_above, request.amount_minor, request.currency)
        and not visit.caller.confirmed,
        waits=request.state is State.PENDING_APPROVAL and visit.now < hold.expires_at,
        stands=_stands(request, visit.now),
        stopped=found.is_frozen or here.stopped is not None,
        is_final=request.state in FINAL_STATES,
        is_over=visit.now >= hold.expires_at,
        following=following.hold.id if following else None,
        **_unpayable(found),
        undo=visit.form_beside(Form(())) if found.may_take_back(visit.caller) else None,
        seconds_left=_seconds_until(request.due_at, visit.now),
        may_vote=visit.caller.role is Role.APPROVER,
        attend=visit.form_beside(Form(())),
    )


def _unpayable(found: ToDecide) -> dict[str, Any]:
    """Why the payment of what waits cannot give it, if that is so, and how much it still could."""
    why = found.unpayable if found.waiting.request.state is State.PENDING_APPROVAL else None
    return {"unpayable": why, "less_left": max(0, why.extra.get("refundable", 0)) if why else 0}


def _seconds_until(due_at: datetime | None, now: datetime) -> int:
    """How long until it may be sent, in whole seconds."""
    return 0 if due_at is None else max(0, ceil((due_at - now).total_seconds()))


PAGES = (
    Page(
        "GET",
        f"{INBOX}/<hold_id>",
        _look,
        (*OVERSEERS, Role.AGENT),
        "Decide",
        query=("reason", "shows"),
        form=DECISION,
        finds=(("hold_", "hold_id"),),
    ),
    Page("POST", f"{INBOX}/<hold_id>", _decide, (Role.APPROVER,), "Decide", form=DECISION),
)
