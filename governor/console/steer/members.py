"""People of this environment: what each may do here, granted by an operator to anybody but themselves."""

from __future__ import annotations

import re
from itertools import groupby

from flask import Response

from governor.console.fields import Field, Form
from governor.console.page import Group, Page
from governor.console.steer.keys import ROLES, UP_TO, up_to
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import NotFound, Refused, invalid
from governor.http.query import matching
from governor.usecases.grant_membership import MembershipDraft

PEOPLE = "/people"
_PERSON = re.compile(r"usr_[0-9a-z]{26}")
GRANT = Form(
    (
        Field(
            "login", "Login", "Whoever keeps the machine makes accounts: governor user create.", at_most=64
        ),
        Field("role", "Role", kind="select", options=ROLES),
        *UP_TO,
    )
)


def _list(visit: Visit) -> Response:
    """Everybody, or the one who is asked for: of somebody who may do nothing here, nothing is said."""
    named = visit.one("person", matching(_PERSON))
    credentials = visit.use.queries.credentials(visit.caller)
    members = [one for _, one in credentials if one.person is not None]
    shown = [one for one in members if named in {None, one.person}]
    by_login = groupby(sorted(shown, key=lambda one: (one.owner, one.id)), key=lambda one: one.owner)
    return visit.show(
        "people/list.html",
        people=[(login, list(found)) for login, found in by_login],
        named=named,
        may_grant=visit.caller.role is Role.OPERATOR,
        approvers=len({one.owner for one in members if one.role is Role.APPROVER and one.live_at(visit.now)}),
    )


def _ask(visit: Visit) -> Response:
    return visit.show("people/grant.html", form=visit.form())


def _grant(visit: Visit) -> Response:
    filled = visit.form()
    try:
        values = filled.read()
        draft = MembershipDraft(
            values["login"], Role(values["role"]), up_to(values["up_to"], values["currency"])
        )
        visit.use.people.grant(visit.caller, draft, filled.once)
    except NotFound as unknown:
        refusal = invalid("/login", unknown.code, "Nobody has this login.")
        return visit.show_again("people/grant.html", filled, refusal)
    except Refused as refusal:
        return visit.show_again("people/grant.html", filled, refusal)
    return visit.go(PEOPLE, f"{values['login']} is {values['role']} here from now on.")


PAGES = (
    Page(
        "GET",
        PEOPLE,
        _list,
        (Role.OPERATOR, Role.AUDITOR),
        "People",
        group=Group.PEOPLE,
        label="People",
        query=("person",),
        finds=(("usr_", "person"),),
    ),
    Page("GET", f"{PEOPLE}/grant", _ask, (Role.OPERATOR,), "Grant a role", form=GRANT),
    Page("POST", f"{PEOPLE}/grant", _grant, (Role.OPERATOR,), "Grant a role", form=GRANT),
)
