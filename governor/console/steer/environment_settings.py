"""The environment's settings, and the word that lets provider writes go on after governor or the provider stopped them."""

from __future__ import annotations

from dataclasses import replace

from flask import Response

from governor.console.fields import Filled, Form
from governor.console.page import Group, Page
from governor.console.steer.attention import STOPS, governor_stops
from governor.console.steer.freezes import REASON
from governor.console.steer.settings_form import (
    BOUNDS,
    EDIT,
    LATE,
    MODES,
    SWITCHES,
    changes_between,
    draft_of,
    said,
    start_of,
)
from governor.console.steer.spans import span_words
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.environments import Environment, Mode
from governor.domain.errors import PreconditionFailed, Refused
from governor.usecases.change_environment import EnvironmentDraft

SETTINGS = "/settings"
_OVERSEERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_OPERATOR = (Role.OPERATOR,)
ACKNOWLEDGE = Form((REASON,))


def _look(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    return visit.show(
        "settings/look.html",
        here=here,
        modes=MODES,
        late=LATE,
        switches=[(words, said(here, name)) for name, words in (SWITCHES | BOUNDS).items()],
        approval=span_words(here.approval_seconds),
        stops=governor_stops(here),
        stop_words=STOPS,
    )


def _edit(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    return visit.show("settings/edit.html", form=visit.form(start=start_of(here)))


def _change(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    filled = visit.form()
    try:
        values = filled.read()
        draft = draft_of(here, values)
        if filled.checked == "no":
            return visit.show("settings/edit.html", form=filled)
        visit.use.change_environment.refuse_alone(visit.caller, here, draft)
        if filled.checked != "yes" or values["revision"] != here.revision:
            return _check(visit, filled, here, draft)
        return _changed(visit, filled, draft, here.revision)
    except Refused as refusal:
        return visit.show_again("settings/edit.html", filled, refusal)


def _changed(visit: Visit, filled: Filled, draft: EnvironmentDraft, revision: int) -> Response:
    try:
        visit.use.change_environment(visit.caller, draft, revision)
    except PreconditionFailed:
        return _check(visit, filled, visit.use.queries.environment(visit.caller), draft)
    return visit.go(SETTINGS, "The settings were changed.")


def _check(visit: Visit, filled: Filled, here: Environment, draft: EnvironmentDraft) -> Response:
    """What changes, from what stands now; the second click of one change finds it done."""
    stale = filled.of("revision") != str(here.revision)
    changes = changes_between(here, draft)
    if stale and filled.checked == "yes" and not changes:
        return visit.go(SETTINGS, "They stand as you asked.")
    return visit.show(
        "settings/check.html",
        status=412 if stale else 200,
        form=replace(filled, typed={**filled.typed, "revision": (str(here.revision),)}),
        stale=stale,
        changes=changes,
        observes=draft.mode is Mode.OBSERVE and here.mode is Mode.ENFORCE,
        enforces=draft.mode is Mode.ENFORCE and here.mode is Mode.OBSERVE,
    )


def _look_at_stop(visit: Visit) -> Response:
    return _stopped(visit, visit.form())


def _acknowledge(visit: Visit) -> Response:
    filled = visit.form()
    try:
        visit.use.change_environment.acknowledge(visit.caller, filled.read()["reason"])
    except Refused as refusal:
        return _stopped(visit, filled.refused(refusal), status=422)
    return visit.go(SETTINGS, "Refunds go on. What people have frozen stays frozen.")


def _stopped(visit: Visit, form: Filled, *, status: int = 200) -> Response:
    here = visit.use.queries.environment(visit.caller)
    return visit.show(
        "settings/stopped.html", status=status, form=form, stops=governor_stops(here), stop_words=STOPS
    )


_EDIT, _STOP = f"{SETTINGS}/edit", f"{SETTINGS}/acknowledge"

PAGES = (
    Page(
        "GET",
        SETTINGS,
        _look,
        _OVERSEERS,
        "Settings",
        group=Group.OPERATIONS,
        label="Settings",
        shelved_for=(Role.OPERATOR, Role.AUDITOR),
    ),
    Page("GET", _EDIT, _edit, _OPERATOR, "Change the settings", form=EDIT),
    Page("POST", _EDIT, _change, _OPERATOR, "Change the settings", form=EDIT),
    Page("GET", _STOP, _look_at_stop, _OPERATOR, "Let refunds go on", form=ACKNOWLEDGE),
    Page("POST", _STOP, _acknowledge, _OPERATOR, "Let refunds go on", form=ACKNOWLEDGE),
)
