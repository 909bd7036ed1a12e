"""Operators set endpoints up: a new one, a new secret, a test, in use again, and the end of one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from flask import Response

from governor.console.fields import Field, Filled, Form
from governor.console.page import Page
from governor.console.steer.endpoints import ENDPOINTS
from governor.console.steer.keys import ROTATE
from governor.console.visit import Visit
from governor.console.words import message, messages
from governor.domain.credentials import Role
from governor.domain.endpoints import LONGEST_URL, MOST_RECIPIENTS, EndpointKind
from governor.domain.errors import Refused
from governor.domain.messages import TYPES
from governor.usecases.manage_endpoints import EndpointDraft

_OPERATOR = (Role.OPERATOR,)
_ONE = f"{ENDPOINTS}/<endpoint_id>"


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("Type one line of characters that can be seen.")
    return text


NEW = Form(
    (
        Field(
            "kind",
            "Who is told",
            kind="radios",
            options=(
                (EndpointKind.WEBHOOK.value, "a program, by signed webhooks"),
                (EndpointKind.SLACK.value, "a Slack channel"),
                (EndpointKind.EMAIL.value, "people, by e-mail"),
            ),
        ),
        Field(
            "url",
            "URL",
            "For a program or Slack; begins with https://.",
            optional=True,
            depends=True,
            at_most=LONGEST_URL,
        ),
        Field(
            "to",
            "Addresses",
            f"For e-mail: up to {MOST_RECIPIENTS}, one on each line.",
            kind="area",
            optional=True,
            depends=True,
            at_most=MOST_RECIPIENTS * 260,
        ),
        Field("description", "What it is for", optional=True, at_most=200, read=_line),
        Field(
            "types",
            "What it is told of",
            "None chosen: everything.",
            kind="checkboxes",
            options=tuple((one, message(one)) for one in messages(TYPES)),
            optional=True,
        ),
    )
)
_NOTHING = Form(())


def _ask(visit: Visit) -> Response:
    return visit.show("endpoints/new.html", form=visit.form(start={"kind": EndpointKind.WEBHOOK.value}))


def _make(visit: Visit) -> Response:
    """The secret is in this answer and nowhere else: a second click finds that the endpoint is made."""
    filled = visit.form()
    try:
        made = visit.use.messages.endpoints.create(visit.caller, _draft(filled), filled.once)
    except Refused as refusal:
        return visit.show_again("endpoints/new.html", filled, refusal)
    return visit.show("endpoints/made.html", made=made, title="The endpoint was made")


def _draft(filled: Filled) -> EndpointDraft:
    values = filled.read()
    return EndpointDraft(
        EndpointKind(values["kind"]),
        values["url"],
        tuple((values["to"] or "").split()),
        values["types"],
        values["description"],
    )


def _ask_rotate(visit: Visit, endpoint_id: str) -> Response:
    return _about(visit, endpoint_id, "rotate", visit.form(start={"overlap": "86400"}))


def _rotate(visit: Visit, endpoint_id: str) -> Response:
    filled = visit.form()
    try:
        overlap = timedelta(seconds=int(filled.read()["overlap"]))
        made = visit.use.messages.endpoints.rotate(visit.caller, endpoint_id, overlap, filled.once)
    except Refused as refusal:
        return _about(visit, endpoint_id, "rotate", filled.refused(refusal), status=422)
    return visit.show("endpoints/made.html", made=made, title="The secret was replaced")


def _about(visit: Visit, endpoint_id: str, act: str, form: Filled, *, status: int = 200) -> Response:
    health, _ = visit.use.messages.see.one(visit.caller, endpoint_id)
    return visit.show(f"endpoints/{act}.html", status=status, form=form, health=health)


def _test(visit: Visit, endpoint_id: str, form: Filled) -> Response:
    visit.use.messages.endpoints.test(visit.caller, endpoint_id, form.once)
    return visit.go(f"{ENDPOINTS}/{endpoint_id}", "A message is on its way. Look again in a moment.")


def _enable(visit: Visit, endpoint_id: str, form: Filled) -> Response:
    del form  # Enabling twice is enabling once.
    visit.use.messages.endpoints.enable(visit.caller, endpoint_id)
    return visit.go(f"{ENDPOINTS}/{endpoint_id}", "It is told what happens from now on.")


def _delete(visit: Visit, endpoint_id: str, form: Filled) -> Response:
    del form  # What is deleted is not there a second time.
    visit.use.messages.endpoints.delete(visit.caller, endpoint_id)
    return visit.go(ENDPOINTS, "The endpoint is deleted. It is told nothing more.")


def _checked(act: str, title: str, does: Callable[[Visit, str, Filled], Response]) -> tuple[Page, Page]:
    """An act that asks nothing but a last look at what it does."""

    def look(visit: Visit, endpoint_id: str) -> Response:
        return _about(visit, endpoint_id, act, visit.form())

    def act_on(visit: Visit, endpoint_id: str) -> Response:
        filled = visit.form()
        try:
            filled.read()
            if filled.checked == "yes":
                return does(visit, endpoint_id, filled)
        except Refused as refusal:
            return _about(visit, endpoint_id, act, filled.refused(refusal), status=422)
        return _about(visit, endpoint_id, act, filled)

    rule = f"{_ONE}/{act}"
    return (
        Page("GET", rule, look, _OPERATOR, title, form=_NOTHING),
        Page("POST", rule, act_on, _OPERATOR, title, form=_NOTHING),
    )


PAGES = (
    Page("GET", f"{ENDPOINTS}/new", _ask, _OPERATOR, "New endpoint", form=NEW),
    Page("POST", f"{ENDPOINTS}/new", _make, _OPERATOR, "New endpoint", form=NEW),
    Page("GET", f"{_ONE}/rotate", _ask_rotate, _OPERATOR, "Replace the secret", form=ROTATE),
    Page("POST", f"{_ONE}/rotate", _rotate, _OPERATOR, "Replace the secret", form=ROTATE),
    *_checked("test", "Send a test message", _test),
    *_checked("enable", "Use it again", _enable),
    *_checked("delete", "Delete the endpoint", _delete),
)
