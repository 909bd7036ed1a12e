"""Undo: whoever has just approved a request takes that back, as long as nothing of it was sent."""

from __future__ import annotations

from flask import Response

from governor.console.approve.ballots import said_of_taking_back
from governor.console.approve.inbox import INBOX
from governor.console.fields import Form
from governor.console.page import Page
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Invalid

UNDO = Form(())
"""Asks nothing: the button stands beside what was just approved."""


def _take_back(visit: Visit, hold_id: str) -> Response:
    form = visit.form(UNDO)
    try:
        form.read()
        request = visit.use.decide_hold.take_back(visit.caller, hold_id, form.once)
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return visit.show(
            "approvals/not_taken_back.html", status=status, form=form.refused(refusal), hold_id=hold_id
        )
    return visit.go(f"{INBOX}/{hold_id}", said_of_taking_back(request, visit.now))


PAGES = (Page("POST", f"{INBOX}/<hold_id>/take-back", _take_back, (Role.APPROVER,), "Undo"),)
