"""What a requester has asked for: the list, whom each waits for, and stopping one."""

from __future__ import annotations

from flask import Response

from governor.console.application import UseCases
from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, HowMany, Page
from governor.console.request.asking import asked_again
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import GovernorError, Refused
from governor.domain.hold_versions import open_question, refuse_stranger
from governor.domain.lifecycle import CANCEL_STOPS, OPEN_STATES, State
from governor.domain.requests import RefundRequest
from governor.ports.records import RequestFilter
from governor.usecases.callers import Caller

_VIEWS = {
    "open": ("Open", tuple(state.value for state in State if state in OPEN_STATES)),
    "over": ("Over", tuple(state.value for state in State if state not in OPEN_STATES)),
    "all": ("All", ()),
}
_NOTHING = Form(())
_QUESTIONS_NAMED = 20
"""So many open questions are named, and counted on every page; of more only that there are."""
_CANCELERS = (Role.AGENT, Role.OPERATOR)


def _view(text: str) -> str:
    if text not in _VIEWS:
        raise ValueError
    return text


def _mine(visit: Visit) -> Response:
    """Newest first. What several keys of one person asked for stands under each key."""
    view = visit.one("view", _view) or "open"
    chosen = RequestFilter(states=_VIEWS[view][1], requested_by=(visit.caller.credential.id,))
    found = visit.use.queries.requests(visit.caller, chosen, after=visit.after, at_most=visit.page_size + 1)
    questions = _questions(visit.use, visit.caller)
    return visit.show(
        "my_refunds/list.html",
        listed=visit.listed(found, lambda request: request.id),
        questions=questions[:_QUESTIONS_NAMED],
        more_questions=len(questions) > _QUESTIONS_NAMED,
        again_of=asked_again,
        tabs=[
            (words, visit.address("/refunds/mine", view=name), None, name == view)
            for name, (words, _) in _VIEWS.items()
        ],
    )


def _questions(use: UseCases, caller: Caller) -> tuple[RefundRequest, ...]:
    """What waits for an answer of this requester, newest first: one more than is named, if there are more."""
    return use.queries.questions(caller, at_most=_QUESTIONS_NAMED + 1)


def _count(use: UseCases, caller: Caller) -> HowMany:
    number = len(_questions(use, caller))
    return HowMany(min(number, _QUESTIONS_NAMED), number <= _QUESTIONS_NAMED)


def _cancel(visit: Visit, request_id: str) -> Response:
    """What canceling does now, before it is done."""
    request = visit.use.queries.request(visit.caller, request_id)
    if visit.caller.role is Role.AGENT:
        refuse_stranger(request, visit.caller.credential)
    return visit.show(
        "my_refunds/cancel.html", form=visit.form(), request=request, stops=request.state in CANCEL_STOPS
    )


def _canceled(visit: Visit, request_id: str) -> Response:
    filled = visit.form()
    try:
        filled.read()
        answer = visit.use.cancel_refund(visit.caller, request_id, filled.once)
    except GovernorError as refusal:
        request = visit.use.queries.request(visit.caller, request_id)
        return visit.show_again(
            "my_refunds/cancel.html",
            filled,
            refusal,
            request=request,
            stops=request.state in CANCEL_STOPS,
        )
    stopped = answer.request.state is State.CANCELED
    said = (
        "It is canceled. Nothing was sent."
        if stopped
        else "Your wish is recorded: it may have been sent already."
    )
    return visit.go(f"/refund-requests/{request_id}", said)


ANSWER = Form(
    (Field("text", "Your answer", kind="area", at_most=2000, missing="Write what the approver asked for."),)
)


def _question(visit: Visit, request_id: str) -> Response:
    """The approver's question, and room for the answer."""
    return _with_question(visit, request_id, visit.form())


def _answered(visit: Visit, request_id: str) -> Response:
    filled = visit.form()
    try:
        text = filled.read()["text"]
        visit.use.answer_question(visit.caller, request_id, text, filled.once)
    except Refused as refusal:
        return _with_question(visit, request_id, filled.refused(refusal), status=422)
    return visit.go(f"/refund-requests/{request_id}", "Your answer is with the approvers.")


def _with_question(visit: Visit, request_id: str, form: Filled, *, status: int = 200) -> Response:
    request = visit.use.queries.request(visit.caller, request_id)
    refuse_stranger(request, visit.caller.credential)
    question = open_question(request) if request.state is State.PENDING_APPROVAL else None
    return visit.show("my_refunds/answer.html", status=status, form=form, request=request, question=question)


def _ask_nudge(visit: Visit, request_id: str) -> Response:
    """Whom a reminder reaches, before it is sent."""
    return _nudging(visit, request_id, visit.form())


def _nudge(visit: Visit, request_id: str) -> Response:
    filled = visit.form()
    try:
        filled.read()
        visit.use.nudge_approvers(visit.caller, request_id, filled.once)
    except Refused as refusal:
        return _nudging(visit, request_id, filled.refused(refusal), status=422)
    return visit.go(f"/refund-requests/{request_id}", "Its approvers are reminded.")


def _nudging(visit: Visit, request_id: str, form: Filled, *, status: int = 200) -> Response:
    request = visit.use.queries.request(visit.caller, request_id)
    refuse_stranger(request, visit.caller.credential)
    return visit.show("my_refunds/nudge.html", status=status, form=form, request=request)


_NUDGE = "/refund-requests/<request_id>/nudge"

PAGES = (
    Page("GET", _NUDGE, _ask_nudge, (Role.AGENT,), "Remind the approvers", form=_NOTHING),
    Page("POST", _NUDGE, _nudge, (Role.AGENT,), "Remind the approvers", form=_NOTHING),
    Page(
        "GET",
        "/refund-requests/<request_id>/answer",
        _question,
        (Role.AGENT,),
        "Answer a question",
        form=ANSWER,
    ),
    Page(
        "POST",
        "/refund-requests/<request_id>/answer",
        _answered,
        (Role.AGENT,),
        "Answer a question",
        form=ANSWER,
    ),
    Page(
        "GET",
        "/refunds/mine",
        _mine,
        (Role.AGENT,),
        "My refunds",
        query=("view",),
        listing=True,
        group=Group.REFUNDS,
        label="My refunds",
        count=_count,
    ),
    Page(
        "GET",
        "/refund-requests/<request_id>/cancel",
        _cancel,
        _CANCELERS,
        "Cancel a refund request",
        form=_NOTHING,
    ),
    Page(
        "POST",
        "/refund-requests/<request_id>/cancel",
        _canceled,
        _CANCELERS,
        "Cancel a refund request",
        form=_NOTHING,
    ),
)
