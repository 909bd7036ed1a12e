"""The unknown desk: what nobody knows yet, with everything that bears on it, and the word of two people about it."""

from __future__ import annotations

from datetime import datetime

from flask import Response

from governor.console.application import UseCases
from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, HowMany, Page
from governor.console.visit import Visit
from governor.console.words import STATES
from governor.domain.credentials import Role
from governor.domain.doubt import in_doubt_since
from governor.domain.errors import Refused, Unavailable
from governor.domain.lifecycle import State
from governor.domain.recovery import Look, key_expires_at, key_is_young
from governor.domain.requests import RefundRequest, provider_key
from governor.domain.resolutions import Ending, standing
from governor.domain.words import LONGEST
from governor.usecases.callers import Caller
from governor.usecases.unknown_desk import LOOKED_AT

DESK = "/unknown"
_ONE, _RESOLVE = f"{DESK}/<request_id>", f"{DESK}/<request_id>/resolve"
_OVERSEERS = (Role.OPERATOR, Role.AUDITOR, Role.APPROVER)
_OPERATOR = (Role.OPERATOR,)
_NOTHING = Form(())
ENDINGS = {
    Ending.SUCCEEDED: "The refund was made: the money left",
    Ending.FAILED: "No refund was made: no money left",
}
RESOLUTION = Form(
    (
        Field(
            "outcome",
            "How it ended",
            kind="radios",
            options=tuple((ending.value, words) for ending, words in ENDINGS.items()),
            read=Ending,
        ),
        Field("reason", "How you know", "What you looked at, and where.", kind="area", at_most=LONGEST),
    )
)


def advice(request: RefundRequest, how: Look, now: datetime) -> tuple[str, str] | None:
    """What an operator has to do about it, and the tone of that; None of what is not in doubt.

    `how` is the way in which governor looks at it by itself as things stand.
    """
    if request.state is not State.UNKNOWN:
        return None
    if request.flagged_at is not None:
        return (
            "governor has looked often and found no proof. Find out at Stripe how it ended; two people say so here.",
            "danger",
        )
    if how is Look.REPLAY:
        return (
            "Nobody has to do anything yet: governor asks again by itself, under the same key, and under one key Stripe refunds once.",
            "info",
        )
    again = "It is not sent again as things stand" if key_is_young(request, now) else "It is not sent again"
    return (
        f"{again}, and governor goes on looking. Whoever cannot wait finds out at Stripe how it ended; two people say so here.",
        "warning",
    )


def _list(visit: Visit) -> Response:
    """Longest in doubt first."""
    desk = visit.use.unknown_desk.listed(visit.caller, after=visit.after, at_most=visit.page_size + 1)
    return visit.show(
        "unknown/list.html",
        listed=visit.listed(desk.items, lambda item: item.request.id),
        totals=desk.totals,
        since=in_doubt_since,
        waiting={
            item.request.id: standing(item.request, item.proposals, desk.speaking) for item in desk.items
        },
    )


def _count(use: UseCases, caller: Caller) -> HowMany:
    return HowMany(sum(total.count for total in use.unknown_desk.totals(caller)))


def _look(visit: Visit, request_id: str) -> Response:
    return _shown(visit, "unknown/one.html", request_id, visit.form())


def _look_now(visit: Visit, request_id: str) -> Response:
    """Ask the provider now. Nothing is sent by it."""
    filled = visit.form()
    try:
        filled.read()
        request = visit.use.unknown_desk.look_now(visit.caller, request_id)
    except (Refused, Unavailable) as refusal:
        return _shown(visit, "unknown/one.html", request_id, filled.refused(refusal), status=422)
    found = f"Stripe was asked: {STATES[request.state][0].lower()}."
    nothing = "Stripe was asked, and shows nothing that proves how it ended."
    return visit.go(f"{DESK}/{request_id}", nothing if request.state is State.UNKNOWN else found)


def _ask(visit: Visit, request_id: str) -> Response:
    return _shown(visit, "unknown/resolve.html", request_id, visit.form())


def _resolve(visit: Visit, request_id: str) -> Response:
    filled = visit.form()
    try:
        values = filled.read()
        if filled.checked != "yes":
            template = "unknown/resolve.html" if filled.checked == "no" else "unknown/check.html"
            return _shown(visit, template, request_id, filled)
        said = visit.use.resolve_unknown(
            visit.caller, request_id, values["outcome"], values["reason"], filled.once
        )
    except Refused as refusal:
        return _shown(visit, "unknown/resolve.html", request_id, filled.refused(refusal), status=422)
    waits = "Your word is recorded. It stays in doubt until somebody else says the same."
    done = "Two people have said how it ended, so it is resolved. Evidence that comes later still wins."
    return visit.go(f"{DESK}/{request_id}", waits if said.waiting else done)


def _shown(visit: Visit, template: str, request_id: str, form: Filled, *, status: int = 200) -> Response:
    """A request with its evidence, and the payment's refunds at the provider as they are now."""
    pack = visit.use.unknown_desk.pack(visit.caller, request_id)
    request = pack.item.request
    waiting = standing(request, pack.item.proposals, pack.speaking)
    return visit.show(
        template,
        status=status,
        form=form,
        pack=pack,
        request=request,
        waiting=waiting,
        mine=waiting is not None and waiting.person == visit.caller.credential.owner,
        since=in_doubt_since(request),
        key=provider_key(request.id),
        key_expires=key_expires_at(request),
        advice=advice(request, pack.how, visit.now),
        sends_again=pack.how is Look.REPLAY,
        key_is_young=key_is_young(request, visit.now),
        is_unknown=request.state is State.UNKNOWN,
        may_look=request.state in LOOKED_AT,
        endings=ENDINGS,
    )


PAGES = (
    Page(
        "GET",
        DESK,
        _list,
        _OVERSEERS,
        "Unknown desk",
        listing=True,
        group=Group.OPERATIONS,
        label="Unknown desk",
        count=_count,
    ),
    Page("GET", _ONE, _look, _OVERSEERS, "Request in doubt", form=_NOTHING),
    Page("POST", _ONE, _look_now, _OPERATOR, "Request in doubt", form=_NOTHING),
    Page("GET", _RESOLVE, _ask, _OPERATOR, "Say how it ended", form=RESOLUTION),
    Page("POST", _RESOLVE, _resolve, _OPERATOR, "Say how it ended", form=RESOLUTION),
)
