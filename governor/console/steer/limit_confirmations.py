"""What somebody has said of a limit: another person confirms it, or one takes it back."""

from __future__ import annotations

from enum import StrEnum

from flask import Response

from governor.console.fields import Field, Filled, Form
from governor.console.page import Page
from governor.console.steer import limit_words
from governor.console.steer.limit_forms import REASON
from governor.console.steer.limits import LIMITS, OVERSEERS
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import NotFound, Refused
from governor.domain.limit_changes import may_be_withdrawn
from governor.usecases.limit_history import ShownChange
from governor.usecases.limit_slips import times_as_much


class _Verb(StrEnum):
    CONFIRM = "confirm"
    WITHDRAW = "withdraw"


FORM = Form((Field("verb", "What to do", kind="hidden", read=_Verb), REASON))
_ONE = f"{LIMITS}/<limit_id>/changes/<change_id>"


def _look(visit: Visit, limit_id: str, change_id: str) -> Response:
    return _shown(visit, limit_id, change_id, visit.form())


def _say(visit: Visit, limit_id: str, change_id: str) -> Response:
    filled = visit.form()
    _found(visit, limit_id, change_id)
    try:
        values = filled.read()
        verbs = visit.use.confirm_limit_change
        deed = verbs.confirm if values["verb"] is _Verb.CONFIRM else verbs.withdraw
        deed(visit.caller, limit_id, change_id, values["reason"] or "", filled.once)
    except Refused as refusal:
        return _shown(visit, limit_id, change_id, filled.refused(refusal), status=422)
    confirmed = "You have confirmed it: yours is the second word."
    done = confirmed if values["verb"] is _Verb.CONFIRM else "It is withdrawn."
    return visit.go(f"{LIMITS}/{limit_id}", done)


def _found(visit: Visit, limit_id: str, change_id: str) -> ShownChange:
    for one in visit.use.limit_history.changes(visit.caller, limit_id):
        if one.change.id == change_id:
            return one
    raise NotFound("limit_change_not_found", "The limit has no such change.")


def _shown(visit: Visit, limit_id: str, change_id: str, form: Filled, *, status: int = 200) -> Response:
    found = _found(visit, limit_id, change_id)
    limit = visit.use.queries.limit(visit.caller, limit_id)
    return visit.show(
        "limits/change.html",
        status=status,
        form=form,
        one=found,
        limit=limit,
        times=None if found.change.archives else times_as_much(limit.cap, found.change.cap),
        mine=found.change.proposed.person == visit.caller.credential.owner,
        may_withdraw=may_be_withdrawn(found.change, found.standing, visit.now),
        say=limit_words,
    )


PAGES = (
    Page(
        "GET",
        _ONE,
        _look,
        OVERSEERS,
        "Change of a limit",
        form=FORM,
    ),
    Page("POST", _ONE, _say, (Role.OPERATOR,), "Change of a limit", form=FORM),
)
