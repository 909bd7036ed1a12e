"""What an approver says of a hold without deciding it: I look at it, I want it later, somebody else must look."""

from __future__ import annotations

from flask import Response

from governor.console.approve.inbox import INBOX
from governor.console.fields import Field, Form
from governor.console.page import Page
from governor.console.visit import Visit
from governor.domain.attention import SNOOZES
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Refused
from governor.usecases.waiting_holds import Waiting

_APPROVERS = (Role.APPROVER,)
_LENGTHS = {"an_hour": "An hour", "four_hours": "Four hours", "a_day": "A day"}
_OPERATORS = "operators"
_WAKE = "not_any_more"
_PERSON = "person:"
"""Before a login, which may be any word, the name of all operators included."""

SNOOZE = Form((Field("length", "For how long", kind="radios", options=tuple(_LENGTHS.items())),))
ESCALATE = Form(
    (
        Field("to", "To whom", kind="select", options=((_OPERATORS, "All operators"),)),
        Field("reason", "Why", "They read it beside the request.", kind="area", at_most=2000),
    )
)


def _look(visit: Visit, hold_id: str) -> Response:
    """No lock: anybody may still decide, and sees who is looking."""
    visit.form()
    try:
        looker = visit.use.approval_desk.attention.look(visit.caller, hold_id)
    except Conflict as refusal:
        return visit.go(f"{INBOX}/{hold_id}", refusal.detail)
    mine = looker.person == visit.caller.credential.owner
    said = "The others see that you are looking." if mine else f"{looker.person} is looking already."
    return visit.go(f"{INBOX}/{hold_id}", said)


def _let_go(visit: Visit, hold_id: str) -> Response:
    visit.form()
    visit.use.approval_desk.attention.let_go(visit.caller, hold_id)
    return visit.go(INBOX, "The others see that you do not look at it any more.")


def _ask_snooze(visit: Visit, hold_id: str) -> Response:
    waiting = visit.use.approval_desk.waiting_one(visit.caller, hold_id)
    form = visit.form(_snooze_form(visit, waiting))
    return visit.show("approvals/snooze.html", waiting=waiting, form=form)


def _snooze(visit: Visit, hold_id: str) -> Response:
    waiting = visit.use.approval_desk.waiting_one(visit.caller, hold_id)
    form = visit.form(_snooze_form(visit, waiting))
    attention = visit.use.approval_desk.attention
    try:
        length = form.read()["length"]
        if length == _WAKE:
            attention.wake(visit.caller, hold_id)
            return visit.go(f"{INBOX}/{hold_id}", "It is among what waits for you again.")
        attention.snooze(visit.caller, hold_id, length)
    except Refused as refusal:
        return visit.show_again("approvals/snooze.html", form, refusal, waiting=waiting)
    return visit.go(INBOX, f"It comes back to you in {_LENGTHS[length].lower()}. The others still see it.")


def _snooze_form(visit: Visit, waiting: Waiting) -> Form:
    """Only what ends while the hold can still be decided, and the way back for whoever has snoozed it."""
    lengths = [(_WAKE, "Not any more")] if waiting.attention.snoozed_until else []
    lengths += [
        (name, words)
        for name, words in _LENGTHS.items()
        if visit.now + SNOOZES[name] < waiting.hold.expires_at
    ]
    return SNOOZE.with_options(length=lengths)


def _ask_escalate(visit: Visit, hold_id: str) -> Response:
    waiting = visit.use.approval_desk.waiting_one(visit.caller, hold_id)
    form = visit.form(_escalate_form(visit, hold_id))
    return visit.show("approvals/escalate.html", waiting=waiting, form=form)


def _escalate(visit: Visit, hold_id: str) -> Response:
    waiting = visit.use.approval_desk.waiting_one(visit.caller, hold_id)
    form = visit.form(_escalate_form(visit, hold_id))
    try:
        values = form.read()
        to = None if values["to"] == _OPERATORS else values["to"].removeprefix(_PERSON)
        visit.use.approval_desk.attention.escalate(visit.caller, hold_id, to, values["reason"], form.once)
    except Refused as refusal:
        return visit.show_again("approvals/escalate.html", form, refusal, waiting=waiting)
    called = "All operators" if to is None else to
    return visit.go(f"{INBOX}/{hold_id}", f"It is escalated to: {called}. It stands first for everybody.")


def _escalate_form(visit: Visit, hold_id: str) -> Form:
    may_approve = visit.use.approval_desk.may_approve(visit.caller, hold_id)
    others = [one for one in may_approve if one != visit.caller.credential.owner]
    people = [(f"{_PERSON}{one}", one) for one in others]
    return ESCALATE.with_options(to=[*people, (_OPERATORS, "All operators")])


PAGES = (
    Page("POST", f"{INBOX}/<hold_id>/look", _look, _APPROVERS, "Look at a hold"),
    Page("POST", f"{INBOX}/<hold_id>/let-go", _let_go, _APPROVERS, "Let go of a hold"),
    Page("GET", f"{INBOX}/<hold_id>/snooze", _ask_snooze, _APPROVERS, "Snooze a hold", form=SNOOZE),
    Page("POST", f"{INBOX}/<hold_id>/snooze", _snooze, _APPROVERS, "Snooze a hold", form=SNOOZE),
    Page("GET", f"{INBOX}/<hold_id>/escalate", _ask_escalate, _APPROVERS, "Escalate a hold", form=ESCALATE),
    Page("POST", f"{INBOX}/<hold_id>/escalate", _escalate, _APPROVERS, "Escalate a hold", form=ESCALATE),
)
