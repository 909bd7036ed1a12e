"""The page where one hold is looked at and decided."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Response

from governor.console.amounts import typed_amount
from governor.console.fields import Field, Filled, Form
from governor.console.inbox import INBOX, OVERSEERS
from governor.console.page import Page
from governor.console.visit import Visit
from governor.domain.approval import Ballot, Choice
from governor.domain.care import is_above
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, NotFound, Refused
from governor.domain.lifecycle import State
from governor.domain.requests import request_of
from governor.usecases.approval_desk import ToDecide

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

WHY_NOT = {
    "role_not_allowed": "You look at it as somebody who does not approve.",
    "approved_already": "You have approved it; it waits for others.",
    "self_approval": "You asked for it, or act for whoever did: somebody else has to decide.",
    "not_asked": "The rules ask other people to approve it.",
    "above_own_limit": "It is more than you may approve.",
    "second_person_needed": "Somebody who has approved it has seen the secret of your key, or you of theirs, or a third "
    "person of both: somebody else has to approve.",
}


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError("This is no digest of a hold.")
    return text


DECISION = Form(
    (
        Field("choice", "Decision", kind="hidden", read=Choice),
        Field("digest", "What was shown", kind="hidden", read=_digest),
        Field("version", "Version", kind="hidden", read=int),
        Field("amount", "Approve only", "Less than what is asked.", kind="amount", optional=True),
        Field("typed_amount", "To approve it all, type its amount", kind="amount", optional=True),
        Field("reason", "Reason", kind="area", optional=True, at_most=2000),
    )
)


def _look(visit: Visit, hold_id: str) -> Response:
    """One hold; what never waited for people has the page of its request."""
    try:
        found = visit.use.approval_desk.to_decide(visit.caller, hold_id)
    except NotFound:
        return visit.go(f"/refund-requests/{request_of(hold_id)}")
    return _shown(visit, found, visit.form(_form(found)))


def _decide(visit: Visit, hold_id: str) -> Response:
    found = visit.use.approval_desk.to_decide(visit.caller, hold_id)
    filled = visit.form(_form(found))
    try:
        values = filled.read()
        ballot = Ballot(
            values["choice"],
            values["digest"],
            values["version"],
            values["reason"],
            values["amount"],
            values["typed_amount"],
        )
        request = visit.use.decide_hold(visit.caller, hold_id, ballot, filled.once)
    except Refused as refusal:
        changes = refusal.extra.get("changes") if isinstance(refusal, Conflict) else None
        anew = visit.use.approval_desk.to_decide(visit.caller, hold_id)
        return _shown(visit, anew, filled.refused(refusal), changes=changes, status=422)
    return visit.go(f"{INBOX}/{hold_id}", _said(ballot.choice, request.state))


def _said(choice: Choice, state: State) -> str:
    if choice is Choice.REJECT:
        return "You rejected it. Nothing is sent, and its capacity is free."
    if choice is Choice.RETURN:
        return "You sent it back with your question. It keeps its capacity while it waits for the answer."
    if state is State.PENDING_APPROVAL:
        return "Your approval is counted. It waits for others."
    return "You approved it, and it is on its way."


def _form(found: ToDecide) -> Form:
    """The decision's form, which reads amounts in the currency of what is asked."""
    read = partial(typed_amount, currency=found.waiting.request.currency)
    return Form(
        tuple(replace(one, read=read) if one.kind == "amount" else one for one in DECISION.fields),
    )


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
    following = [one for one in visit.use.approval_desk.waiting(visit.caller) if one.for_me]
    return visit.show(
        "approvals/decide.html",
        status=status,
        found=found,
        request=request,
        hold=hold,
        shown=hold.shown,
        form=replace(form, typed={**form.typed, **now}),
        changes=changes,
        why_not=WHY_NOT.get(found.waiting.why_not or ""),
        must_type=is_above(here.type_above, request.amount_minor, request.currency),
        must_prove=is_above(here.prove_above, request.amount_minor, request.currency)
        and not visit.caller.confirmed,
        waits=request.state is State.PENDING_APPROVAL and visit.now < hold.expires_at,
        following=next((one.hold.id for one in following if one.hold.id != hold.id), None),
        may_vote=visit.caller.role is Role.APPROVER,
        attend=visit.form_beside(Form(())),
    )


PAGES = (
    Page(
        "GET",
        f"{INBOX}/<hold_id>",
        _look,
        OVERSEERS,
        "Decide",
        form=DECISION,
        finds=(("hold_", "hold_id"),),
    ),
    Page("POST", f"{INBOX}/<hold_id>", _decide, (Role.APPROVER,), "Decide", form=DECISION),
)
