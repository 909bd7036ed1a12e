"""Freezes: one person stops provider writes with one click, two let them go on."""

from __future__ import annotations

from flask import Response

from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import Refused
from governor.domain.freezes import FREEZABLE, Freeze
from governor.domain.limits import Scope
from governor.usecases.freeze import FreezeDraft

FREEZES = "/freezes"
_OVERSEERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_SCOPES = {
    Scope.ENVIRONMENT: "Everything in this environment",
    Scope.CREDENTIAL: "One key, with all below it",
    Scope.CUSTOMER: "One customer",
    Scope.PAYMENT: "One payment",
}
_LONGEST_REASON = 2000

REASON = Field("reason", "Why", "Everybody here sees it.", kind="area", at_most=_LONGEST_REASON)
FREEZE = Form(
    (
        Field(
            "scope",
            "What to stop",
            kind="radios",
            options=tuple((scope.value, words) for scope, words in _SCOPES.items()),
            read=Scope,
        ),
        Field(
            "value",
            "Which one",
            "Its id, which begins with cred_, cus_ or pi_. Left out for everything.",
            optional=True,
            depends=True,
        ),
        REASON,
    )
)
END = Form((REASON,))


def _scope(text: str) -> str:
    if Scope(text) not in FREEZABLE:
        raise ValueError
    return text


def _look(visit: Visit) -> Response:
    """What stands, and the button that stops: other pages lead here with what is meant."""
    scope = visit.one("scope", _scope) or Scope.ENVIRONMENT.value
    start = {"scope": scope, "value": visit.one("value", str) or ""}
    return _shown(visit, visit.form(start=start))


def _freeze(visit: Visit) -> Response:
    filled = visit.form()
    try:
        freeze, _ = visit.use.freeze_refunds.freeze(visit.caller, FreezeDraft(**filled.read()), filled.once)
    except Refused as refusal:
        return _shown(visit, filled.refused(refusal), status=422)
    return visit.go(f"{FREEZES}/{freeze.id}", "It is stopped: nothing of it is sent from now on.")


def _shown(visit: Visit, form: Filled, *, status: int = 200) -> Response:
    freezes = visit.use.queries.freezes(visit.caller)
    return visit.show("freezes/list.html", status=status, form=form, freezes=freezes, scopes=_SCOPES)


def _one(visit: Visit, freeze_id: str) -> Response:
    return _ending(visit, visit.form(), visit.use.queries.freeze(visit.caller, freeze_id))


def _end(visit: Visit, freeze_id: str) -> Response:
    """The first of two people proposes, the second one ends it."""
    standing = visit.use.queries.freeze(visit.caller, freeze_id)
    filled = visit.form()
    try:
        draft = FreezeDraft(standing.scope, standing.value, filled.read()["reason"])
        freeze, _ = visit.use.freeze_refunds.unfreeze(visit.caller, draft, filled.once)
    except Refused as refusal:
        anew = visit.use.queries.freeze(visit.caller, freeze_id)
        return _ending(visit, filled.refused(refusal), anew, status=422)
    ended = "It goes on: what was decided and waits is sent now."
    proposed = "Your word is recorded. It stays stopped until somebody else says the same."
    return visit.go(f"{FREEZES}/{freeze_id}", ended if freeze.ended else proposed)


def _ending(visit: Visit, form: Filled, freeze: Freeze, *, status: int = 200) -> Response:
    mine = freeze.proposed is not None and freeze.proposed.person == visit.caller.credential.owner
    return visit.show(
        "freezes/one.html", status=status, form=form, freeze=freeze, scopes=_SCOPES, proposed_by_me=mine
    )


PAGES = (
    Page(
        "GET",
        FREEZES,
        _look,
        _OVERSEERS,
        "Stop and start",
        query=("scope", "value"),
        form=FREEZE,
        group=Group.OPERATIONS,
        label="Stop and start",
        shelved_for=(Role.OPERATOR, Role.AUDITOR),
    ),
    Page("POST", FREEZES, _freeze, (Role.OPERATOR,), "Stop and start", form=FREEZE),
    Page(
        "GET",
        f"{FREEZES}/<freeze_id>",
        _one,
        _OVERSEERS,
        "Freeze",
        form=END,
        finds=(("frz_", "freeze_id"),),
    ),
    Page("POST", f"{FREEZES}/<freeze_id>", _end, (Role.OPERATOR,), "Freeze", form=END),
)
