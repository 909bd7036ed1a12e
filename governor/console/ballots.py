"""A decision as the console asks for it: its form, the ballot that comes of it, and what is said afterwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from governor.console.amounts import typed_amount
from governor.console.fields import Field, Form
from governor.domain.approval import Ballot, Choice
from governor.domain.lifecycle import State

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

REASON_KEYS = {"data-shortcut": "r q"}
"""A no and a question are both words."""

DECISION = Form(
    (
        Field("choice", "Decision", kind="hidden", read=Choice),
        Field("digest", "What was shown", kind="hidden", read=_digest),
        Field("version", "Version", kind="hidden", read=int),
        Field("amount", "Approve only", "Less than what is asked.", kind="amount", optional=True),
        Field("typed_amount", "Approve it all", "Type the whole amount.", kind="amount", optional=True),
        Field("reason", "Reason", kind="area", optional=True, at_most=2000, attributes=REASON_KEYS),
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


def said_of(choice: Choice, state: State, *, can_undo: bool) -> str:
    """What is said once to whoever has just decided."""
    if choice is Choice.REJECT:
        return "You rejected it. Nothing is sent, and its capacity is free."
    if choice is Choice.RETURN:
        return "You sent it back with your question. It keeps its capacity while it waits for the answer."
    if state is State.PENDING_APPROVAL:
        return "Your approval is counted. It waits for others."
    if can_undo:
        return "You approved it. It is sent in a moment, unless you undo it."
    return "You approved it, and it is on its way."
