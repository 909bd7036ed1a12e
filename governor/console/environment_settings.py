"""The environment's settings, and the word that lets provider writes go on after governor or the provider stopped them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from flask import Response

from governor.console.fields import Field, Filled, Form
from governor.console.freezes import REASON
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.environments import Environment, Mode
from governor.domain.errors import PreconditionFailed, Refused
from governor.domain.late_limits import LateLimits
from governor.usecases.change_environment import EnvironmentDraft

SETTINGS = "/settings"
_OVERSEERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_OPERATOR = (Role.OPERATOR,)
_UNITS = {"minute": 60, "hour": 3600, "day": 24 * 3600}
_SPAN = re.compile(r"([0-9]{1,5}) ?(minute|hour|day)s?", re.ASCII | re.IGNORECASE)
_LEAST, _MOST = 60, 30 * 24 * 3600
MODES = {
    Mode.ENFORCE: "Enforce: what does not fit is denied or waits for people",
    Mode.OBSERVE: "Observe: everything is decided and recorded, and nothing is blocked",
}
SWITCHES = {
    "raises_need_two": "Whatever allows more takes two people",
    "reasons_required": "Whoever changes a limit says why",
    "expiry_notices": "The endpoints are told before a request expires undecided",
}
LATE = {
    LateLimits.HOLD: "It waits, with its capacity, until there is room",
    LateLimits.REFUSE: "It is refused, and its capacity is free",
}


def typed_span(text: str) -> int:
    """A length of time as people write it, in seconds: "90 minutes", "8 hours", "2 days".

    Raises:
        ValueError: it is none, or not between a minute and 30 days.
    """
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise ValueError("Type a number of minutes, hours or days, like 8 hours.")
    seconds = int(match[1]) * _UNITS[match[2].lower()]
    if not _LEAST <= seconds <= _MOST:
        raise ValueError("A request waits for at least 1 minute, and for at most 30 days.")
    return seconds


def span_words(seconds: int) -> str:
    """The same back, in the largest unit that says it exactly; seconds where none does."""
    for unit, length in reversed(_UNITS.items()):
        if seconds % length == 0:
            count = seconds // length
            return f"1 {unit}" if count == 1 else f"{count} {unit}s"
    return f"{seconds} seconds"


def _rate(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:4]) <= 100:
        raise ValueError("Type a whole number from 1 to 100.")
    return int(text)


EDIT = Form(
    (
        Field(
            "mode",
            "Mode",
            kind="radios",
            options=tuple((mode.value, words) for mode, words in MODES.items()),
            read=Mode,
        ),
        Field(
            "approval",
            "How long a request waits for its approvers",
            "Like 8 hours or 2 days. It counts for what is asked from now on.",
            read=typed_span,
        ),
        Field(
            "late_limits",
            "What becomes of a request that waits to be sent when a later limit has no room for it",
            kind="radios",
            options=tuple((late.value, words) for late, words in LATE.items()),
            read=LateLimits,
        ),
        *(Field(name, words, kind="checkbox", optional=True) for name, words in SWITCHES.items()),
        Field(
            "rate",
            "Calls to the provider a second, at most",
            "From 1 to 100. The provider's own limit for tests is 25.",
            read=_rate,
        ),
        Field("revision", "Revision", kind="hidden", read=int),
    )
)
ACKNOWLEDGE = Form((REASON,))
STOPS = {
    "halted": "governor halted: what the provider shows does not fit what was asked of it",
    "paused": "the provider refuses our key",
    "fenced": "the database is another one than before, and may have forgotten refunds",
}
"""What stops provider writes until somebody has seen why; people's own stops are freezes."""


def _stops(here: Environment) -> dict[str, str]:
    return {kind: reason for kind, reason in here.stops.items() if kind in STOPS and reason is not None}


def _look(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    return visit.show(
        "settings/look.html",
        here=here,
        modes=MODES,
        late=LATE,
        switches=[(words, _yes(here, name)) for name, words in SWITCHES.items()],
        approval=span_words(here.approval_seconds),
        stops=_stops(here),
        stop_words=STOPS,
    )


def _edit(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    start = {
        "mode": here.mode.value,
        "approval": span_words(here.approval_seconds),
        "late_limits": here.late_limits.value,
        "rate": str(here.rate_per_second),
        **{name: "yes" for name in SWITCHES if getattr(here, name)},
        "revision": str(here.revision),
    }
    return visit.show("settings/edit.html", form=visit.form(start=start))


def _change(visit: Visit) -> Response:
    here = visit.use.queries.environment(visit.caller)
    filled = visit.form()
    try:
        values = filled.read()
        draft = _draft(here, values)
        if filled.checked == "no":
            return visit.show("settings/edit.html", form=filled)
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


def _draft(here: Environment, values: dict[str, Any]) -> EnvironmentDraft:
    """The settings as they stand, with what was answered."""
    kept = {name: getattr(here, name) for name in EnvironmentDraft.__dataclass_fields__}
    chosen = {
        "mode": values["mode"],
        "approval_seconds": values["approval"],
        "late_limits": values["late_limits"],
        "rate_per_second": values["rate"],
        **{name: values[name] is not None for name in SWITCHES},
    }
    return EnvironmentDraft(**kept | chosen)


def _check(visit: Visit, filled: Filled, here: Environment, draft: EnvironmentDraft) -> Response:
    """What changes, from what stands now; the second click of one change finds it done."""
    stale = filled.of("revision") != str(here.revision)
    changes = _changes(here, draft)
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


def _changes(here: Environment, draft: EnvironmentDraft) -> list[tuple[str, str, str]]:
    """Name, before, after, of what differs."""
    every = [
        ("Mode", MODES[here.mode], MODES[draft.mode]),
        ("Approval", span_words(here.approval_seconds), span_words(draft.approval_seconds)),
        ("Later limits", LATE[here.late_limits], LATE[draft.late_limits]),
        *((words, _yes(here, name), _yes(draft, name)) for name, words in SWITCHES.items()),
        ("Calls a second", str(here.rate_per_second), str(draft.rate_per_second)),
    ]
    return [one for one in every if one[1] != one[2]]


def _yes(of: Environment | EnvironmentDraft, name: str) -> str:
    return "yes" if getattr(of, name) else "no"


def _look_at_stop(visit: Visit) -> Response:
    return _stopped(visit, visit.form())


def _acknowledge(visit: Visit) -> Response:
    filled = visit.form()
    try:
        visit.use.change_environment.acknowledge(visit.caller, filled.read()["reason"])
    except Refused as refusal:
        return _stopped(visit, filled.refused(refusal), status=422)
    return visit.go(SETTINGS, "Acknowledged: provider writes go on, unless people have frozen them.")


def _stopped(visit: Visit, form: Filled, *, status: int = 200) -> Response:
    here = visit.use.queries.environment(visit.caller)
    return visit.show("settings/stopped.html", status=status, form=form, stops=_stops(here), stop_words=STOPS)


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
