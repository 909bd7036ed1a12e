"""How what a hold shows comes to change: less is approved, a question is asked, it is answered.

Each change makes a new version, so that whoever decides on what they saw before is told the difference, and an
approval counts for nothing but what it named.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from governor.domain.admission import NextAction
from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Conflict, Forbidden
from governor.domain.requests import RefundRequest, spelled

TAKEN_BACK = "taken_back"
"""The member of `shown` with who had approved and thought again, and when, oldest first."""
CONVERSATION = "conversation"
"""The member of `shown` with the questions and their answers, oldest first: words of people, to be shown as text."""


def after_ballot(request: RefundRequest, ballot: Ballot, person: str, now: datetime) -> RefundRequest:
    """The request as it stands after what an approver has changed of it; itself when they changed nothing."""
    if ballot.choice is Choice.APPROVE_LESS and ballot.amount_minor is not None:
        less = replace(request, amount_minor=ballot.amount_minor)
        return next_version(less, now, {"amount": ballot.amount_minor})
    if ballot.choice is Choice.RETURN:
        asked = replace(request, next_action=NextAction.ANSWER_QUESTION)
        return _said(asked, "question", person, ballot.reason or "", now)
    return request


def answered(request: RefundRequest, person: str, text: str, now: datetime) -> RefundRequest:
    """The request with the answer to its open question.

    Raises:
        Conflict: `nothing_asked`.
    """
    if open_question(request) is None:
        raise Conflict("nothing_asked", "No question waits for an answer.")
    back = replace(request, next_action=NextAction.ASK_APPROVER)
    return _said(back, "answer", person, text, now)


def taken_back(request: RefundRequest, person: str, now: datetime) -> RefundRequest:
    """The request as whoever approves it next sees it: the approval that decided was taken back by this person.

    What was approved before named what was shown before, so it counts no more: others look at it anew, too.
    """
    line = {"person": person, "at": spelled(now)}
    return next_version(request, now, {TAKEN_BACK: [*request.shown.get(TAKEN_BACK, []), line]})


def open_question(request: RefundRequest) -> str | None:
    """The newest question of an approver, if nobody has answered it."""
    said = request.shown.get(CONVERSATION, [])
    return str(said[-1]["text"]) if said and said[-1]["kind"] == "question" else None


def asks_now(request: RefundRequest) -> str | None:
    """The approver whose question waits for its answer, if one does."""
    return str(request.shown[CONVERSATION][-1]["person"]) if open_question(request) is not None else None


def speaks_for(request: RefundRequest, caller: Credential) -> bool:
    """Whether a credential asked for it or delegated: an agent speaks for its own requests and those of its children."""
    return request.agent == caller.agent or caller.id in request.credentials


def may_read_words(request: RefundRequest, caller: Credential) -> bool:
    """Whether what people wrote about a request is for this caller: an agent reads it where it speaks for it."""
    return caller.role is not Role.AGENT or speaks_for(request, caller)


def refuse_stranger(request: RefundRequest, caller: Credential) -> None:
    """Refuse whoever does not speak for it.

    Raises:
        Forbidden: `not_yours`.
    """
    if not speaks_for(request, caller):
        raise Forbidden("not_yours", "An agent speaks only for its own requests.")


def next_version(request: RefundRequest, now: datetime, changed: dict[str, Any]) -> RefundRequest:
    """The request with other members in what its hold shows, as the next version of it."""
    shown = {**request.shown, **changed}
    return replace(request, shown=shown, hold_version=request.hold_version + 1, updated_at=now)


def _said(request: RefundRequest, kind: str, person: str, text: str, now: datetime) -> RefundRequest:
    line = {"kind": kind, "person": person, "text": text, "at": spelled(now)}
    return next_version(request, now, {CONVERSATION: [*request.shown.get(CONVERSATION, []), line]})
