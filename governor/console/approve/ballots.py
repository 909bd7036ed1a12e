"""A decision as the console asks for it: its form, the ballot that comes of it, and what is said afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from governor.console.amounts import typed_amount
from governor.console.fields import Field, Form
from governor.console.words import STATES
from governor.domain.approval import APPROVING, Ballot, Choice
from governor.domain.hold_versions import open_question
from governor.domain.lifecycle import State
from governor.domain.money import Money
from governor.domain.requests import RefundRequest
from governor.http.money_display import amount_display

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError("This is no digest of a hold.")
    return text


USUAL = (
    "This was refunded already.",
    "It is outside of what we refund.",
    "Was it delivered, and did it come back?",
    "What does the customer say?",
)
"""Reasons and questions that are often meant; each can be changed before it is sent."""

REASON: Mapping[str, Any] = {
    "hint": "A no needs one. Whoever asked reads it.",
    "kind": "area",
    "optional": True,
    "depends": True,
    "at_most": 2000,
    "attributes": {"data-shortcut": "r q"},
}
"""How a reason is asked for, and a question: both are words."""

DECISION = Form(
    (
        Field("choice", "Decision", kind="hidden", read=Choice),
        Field("digest", "What was shown", kind="hidden", read=_digest),
        Field("version", "Version", kind="hidden", read=int),
        Field(
            "amount", "Approve only", "Less than what is asked.", kind="amount", optional=True, depends=True
        ),
        Field(
            "typed_amount",
            "To approve it all",
            "Type the amount, like 1500.00.",
            kind="amount",
            optional=True,
            depends=True,
        ),
        Field("reason", "Reason or question", **REASON),
    )
)


def form_in(currency: str) -> Form:
    """The decision's form, which reads amounts in the currency of what is asked."""
    read = partial(typed_amount, currency=currency)
    return Form(
        tuple(replace(one, read=read) if one.kind == "amount" else one for one in DECISION.fields),
    )


def ballot_of(values: Mapping[str, Any]) -> Ballot:
    """What somebody has answered, as their ballot."""
    said = (values["choice"], values["digest"], values["version"], values["reason"])
    return Ballot(*said, amount_minor=values["amount"], typed_minor=values["typed_amount"])


def said_of(ballot: Ballot, request: RefundRequest, *, can_undo: bool) -> str:
    """What is said once to whoever has decided. The same decision sent again is told how it stands by now."""
    choice, state = ballot.choice, request.state
    amount = amount_display(Money(request.amount_minor, request.currency))
    if choice is Choice.REJECT and state is State.REJECTED:
        return "You rejected it. Nothing is sent, and its capacity is free."
    if choice is Choice.RETURN and state is State.PENDING_APPROVAL and open_question(request) is not None:
        return "You sent it back with your question. It comes back to you with the answer, and keeps its capacity until then."
    if choice in APPROVING and request.hold_version == _approved_version(ballot):
        if state is State.PENDING_APPROVAL:
            return "Your approval is counted. It waits for others."
        if state is State.QUEUED and can_undo:
            return f"You approved {amount}."
        if state is State.QUEUED:
            return f"You approved {amount}, and it is on its way."
    return f"You had decided it. By now: {STATES[state][0].lower()}."


def said_of_taking_back(request: RefundRequest, now: datetime) -> str:
    """What is said once to whoever has taken an approval back; sent again, how it stands by now."""
    if request.state is not State.PENDING_APPROVAL:
        return f"You had taken your approval back. By now: {STATES[request.state][0].lower()}."
    said = "You took your approval back. Nothing was sent; "
    if request.expires_at is not None and request.expires_at <= now:
        return said + "the time to decide it is over, so it has to be submitted again."
    if request.amount_minor < request.asked_amount_minor:
        left, asked = (
            amount_display(Money(minor, request.currency))
            for minor in (request.amount_minor, request.asked_amount_minor)
        )
        return f"{said}{left} of it waits for approval again. The rest of the {asked} that was asked for stays given back."
    return said + "it waits for approval again."


def _approved_version(ballot: Ballot) -> int:
    """The version of the hold that an approval counts for: approving less makes its own."""
    return ballot.version + (ballot.choice is Choice.APPROVE_LESS)
