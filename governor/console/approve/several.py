"""Deciding several holds at once: look at every line, say one word, be told what became of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from flask import Response

from governor.console.amounts import typed_amount
from governor.console.approve.approvals import WHY_NOT
from governor.console.approve.ballots import REASON, USUAL
from governor.console.approve.inbox import INBOX, line_text
from governor.console.approve.several_words import WHY_LEFT, warnings_of
from governor.console.fields import Field, Filled, Form
from governor.console.page import Page
from governor.console.visit import Visit
from governor.console.words import spaced
from governor.domain.approval import Choice
from governor.domain.care import is_above, refuse_typed_one_by_one
from governor.domain.credentials import Role
from governor.domain.environments import Environment
from governor.domain.errors import Invalid, Refused
from governor.domain.requests import RefundRequest, request_of
from governor.domain.several import refuse_several
from governor.usecases.decide_several import Line, LineEnd, Word
from governor.usecases.waiting_holds import Waiting

SEVERAL = f"{INBOX}/several"
DONE = f"{SEVERAL}/done"
_APPROVERS = (Role.APPROVER,)
_LINE = re.compile(r"(hold_[0-9A-Za-z]{1,40}):([0-9]{1,9}):(sha256:[0-9a-f]{64})")


def _line(text: str) -> Line:
    match = _LINE.fullmatch(text)
    if match is None:
        raise ValueError("This is no line of the list.")
    return Line(match[1], match[3], int(match[2]))


FORM = Form(
    (
        Field("line", "Lines", kind="checkboxes", read=_line, pointer="/lines"),
        Field("choice", "Decision", kind="hidden", read=Choice, optional=True),
        Field("without", "Left out", kind="hidden", optional=True),
        Field("reason", "Reason or question, the same for all", **REASON),
        Field(
            "typed_amount", "To approve them all, type their sum", kind="amount", optional=True, depends=True
        ),
    )
)


@dataclass(frozen=True)
class Reviewed:
    """One line with what somebody must not overlook before deciding it with others."""

    waiting: Waiting
    warnings: tuple[str, ...]


def _empty(visit: Visit) -> Response:
    return visit.show("approvals/several.html", form=visit.form(), lines=(), gone=0, whole_queue=True)


def _decide(visit: Visit) -> Response:
    """Selected lines are shown one by one first; with a decision, each is decided as it was shown then."""
    form = visit.form()
    if not form.of("choice"):
        return _reviewed(visit, form)
    form = _in_currency(form, _chosen(visit, form))
    try:
        values = form.read()
        word = Word(values["choice"], values["reason"], values["typed_amount"])
        ends = visit.use.decide_several(visit.caller, values["line"], word, form.once)
    except Refused as refusal:
        return _reviewed(visit, form.refused(refusal), status=422)
    return visit.go(DONE, told=visit.seals.seal(_purpose(visit), _told(word.choice, ends)))


def _chosen(visit: Visit, form: Filled) -> list[Waiting]:
    """What is selected, was not left out and still waits, in the order of the list."""
    named = {match[1] for match in map(_LINE.fullmatch, form.all_of("line")) if match} - {form.of("without")}
    return list(visit.use.approval_desk.still_waiting(visit.caller, named))


def _in_currency(form: Filled, chosen: Sequence[Waiting]) -> Filled:
    """The form, which reads the sum in the currency of what is selected, if that is one."""
    currencies = {one.request.currency for one in chosen}
    if len(currencies) != 1:
        return form
    read = partial(typed_amount, currency=currencies.pop())
    fields = tuple(replace(one, read=read) if one.kind == "amount" else one for one in form.form.fields)
    return replace(form, form=Form(fields))


def _reviewed(visit: Visit, form: Filled, status: int = 200) -> Response:
    """Every line as it stands now: whoever decides has had all of it before their eyes."""
    queue = visit.use.approval_desk.queue(visit.caller)
    chosen = _chosen(visit, form)
    typed = {**form.typed, "line": tuple(map(line_text, chosen)), "choice": (), "without": ()}
    requests = [one.request for one in chosen]
    whole = sum(one.amount_minor for one in requests)
    here = visit.shell.environment
    lines = [Reviewed(one, tuple(warnings_of(one, chosen, queue.lines, visit))) for one in chosen]
    currency = requests[0].currency if requests else ""
    return visit.show(
        "approvals/several.html",
        status=status,
        form=replace(form, typed=typed),
        lines=lines,
        whole_queue=queue.whole,
        gone=len(set(form.all_of("line"))) - len(chosen) - bool(form.of("without")),
        usual=USUAL,
        why_not=WHY_NOT,
        not_together=_why_not_together(requests, here),
        whole=whole,
        currency=currency,
        must_type=is_above(here.type_above, whole, currency),
        must_prove=is_above(here.prove_above, whole, currency) and not visit.caller.confirmed,
    )


def _why_not_together(requests: Sequence[RefundRequest], here: Environment) -> str | None:
    try:
        refuse_several(requests, Choice.APPROVE)
        refuse_typed_one_by_one(here, requests)
    except Invalid as refusal:
        return refusal.detail
    return None


def _told(choice: Choice, ends: Sequence[LineEnd]) -> str:
    """What became of each, short enough for an address: by hold, why it was left, or nothing."""
    left: Mapping[str, str] = {one.hold: one.left.code if one.left else "" for one in ends}
    return json.dumps([choice.value, left], separators=(",", ":"))


def _purpose(visit: Visit) -> str:
    return f"several decided by {visit.caller.credential.id}"


def _done(visit: Visit) -> Response:
    """What became of each. Only an address that was made for this approver tells anything."""
    told = visit.seals.opened(_purpose(visit), visit.one("told", str) or "")
    choice, left = json.loads(told) if told else ("", {})
    found = [
        (visit.use.queries.request(visit.caller, request_of(hold)), why and _why_left(why))
        for hold, why in left.items()
    ]
    return visit.show("approvals/several_done.html", choice=choice, found=found)


def _why_left(code: str) -> str:
    return WHY_LEFT.get(code) or WHY_NOT.get(code) or f"It was refused: {spaced(code)}."


PAGES = (
    Page("GET", SEVERAL, _empty, _APPROVERS, "Decide several", form=FORM),
    Page("POST", SEVERAL, _decide, _APPROVERS, "Decide several", form=FORM),
    Page("GET", DONE, _done, _APPROVERS, "What became of them", query=("told",)),
)
