"""Stand-ins: an approver says who approves in their place while they are away; one of the two, or an operator, ends it."""

from __future__ import annotations

from flask import Response

from governor.console import typed_times
from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import Refused
from governor.usecases.stand_ins import StandInDraft

STAND_INS = "/stand-ins"
_OVERSEERS = (Role.OPERATOR, Role.AUDITOR, Role.APPROVER)
"""Whoever has several of these looks as the first: approvers see their own only."""


NAME = Form(
    (
        Field("stand_in", "Who approves in your place", kind="select"),
        Field("begins_at", "From", "A date, which begins at 00:00 UTC, or a time with its zone. Left out: from now on.", optional=True, read=typed_times.begin),
        Field("ends_at", "Until", "A date, which counts to its end (UTC), or a time like 2026-12-24T18:00:00Z.", read=typed_times.end),
    )
)  # fmt: skip


def _list(visit: Visit) -> Response:
    return visit.show(
        "stand_ins/list.html",
        found=visit.use.stand_ins.seen_by(visit.caller),
        end=visit.form_beside(Form(())),
        person=visit.caller.credential.owner,
    )


def _form(visit: Visit) -> Filled:
    possible = visit.use.stand_ins.possible(visit.caller)
    return visit.form(NAME.with_options(stand_in=[(one, one) for one in possible]))


def _ask(visit: Visit) -> Response:
    return visit.show("stand_ins/name.html", form=_form(visit))


def _name(visit: Visit) -> Response:
    filled = _form(visit)
    try:
        values = filled.read()
        if filled.checked != "yes":
            template = "stand_ins/name.html" if filled.checked == "no" else "stand_ins/check.html"
            return visit.show(template, form=filled, values=values)
        draft = StandInDraft(values["stand_in"], values["begins_at"], values["ends_at"])
        visit.use.stand_ins(visit.caller, draft, filled.once)
    except Refused as refusal:
        return visit.show_again("stand_ins/name.html", filled, refusal)
    return visit.go(STAND_INS, f"{values['stand_in']} stands in for you.")


def _end(visit: Visit, stand_in_id: str) -> Response:
    visit.form(Form(())).read()
    ended = visit.use.stand_ins.end(visit.caller, stand_in_id)
    return visit.go(STAND_INS, f"{ended.stand_in} stands in for {ended.away} no more.")


PAGES = (
    Page("GET", STAND_INS, _list, _OVERSEERS, "Stand-ins", group=Group.APPROVALS, label="Stand-ins", shelved_for=_OVERSEERS),
    Page("GET", f"{STAND_INS}/name", _ask, (Role.APPROVER,), "Name a stand-in", form=NAME),
    Page("POST", f"{STAND_INS}/name", _name, (Role.APPROVER,), "Name a stand-in", form=NAME),
    Page("POST", f"{STAND_INS}/<stand_in_id>/end", _end, (Role.OPERATOR, Role.APPROVER), "End it"),
)  # fmt: skip
