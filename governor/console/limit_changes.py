"""Operators set limits: a new one, another cap, and the end of one. Each is looked at once more before it counts."""

from __future__ import annotations

from dataclasses import replace

from flask import Response

from governor.console import limit_forms, limit_words
from governor.console.fields import Filled
from governor.console.limits import LIMITS
from governor.console.page import Page
from governor.console.trail import told
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import PreconditionFailed, Refused
from governor.domain.limits import Limit, Usage
from governor.ports.records import TrailFilter
from governor.usecases.change_limit import LimitDraft, checked

_OPERATOR = (Role.OPERATOR,)


def _ask(visit: Visit) -> Response:
    return visit.show("limits/new.html", form=visit.form(start={"time_zone": "UTC"}))


def _create(visit: Visit) -> Response:
    filled = limit_forms.fitted_new(visit.form())
    try:
        draft = checked(LimitDraft(**filled.read()))
        if filled.checked == "no":
            return visit.show("limits/new.html", form=filled)
        if filled.checked != "yes":
            return visit.show("limits/check_new.html", form=filled, draft=draft, say=limit_words)
        limit, _ = visit.use.change_limit.create(visit.caller, draft, filled.once)
    except Refused as refusal:
        return visit.show_again("limits/new.html", filled, refusal)
    return visit.go(f"{LIMITS}/{limit.id}", "The limit counts from now on, with what was taken already.")


def _edit(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    start = {
        "cap": limit_forms.typed(limit, limit.cap),
        "approval_above": limit_forms.typed(limit, limit.approval_above),
        "revision": str(limit.revision),
    }
    form = visit.form(limit_forms.edit_form(limit), start=start)
    return visit.show("limits/edit.html", form=form, limit=limit, say=limit_words)


def _change(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    filled = visit.form(limit_forms.edit_form(limit))
    try:
        values = filled.read()
        draft = checked(limit_forms.changed_draft(limit, values))
        if values["revision"] != limit.revision:
            return _stale(visit, filled, limit, draft)
        if filled.checked == "yes":
            return _changed(visit, filled, draft, limit)
    except Refused as refusal:
        return visit.show_again("limits/edit.html", filled, refusal, limit=limit, say=limit_words)
    if filled.checked == "no":
        return visit.show("limits/edit.html", form=filled, limit=limit, say=limit_words)
    usage = _usage(visit, limit)
    return visit.show(
        "limits/check_edit.html", form=filled, draft=draft, usage=usage, limit=limit, say=limit_words
    )


def _changed(visit: Visit, filled: Filled, draft: LimitDraft, limit: Limit) -> Response:
    try:
        visit.use.change_limit.update(visit.caller, limit.id, draft, limit.revision)
    except PreconditionFailed:
        return _stale(visit, filled, visit.use.queries.limit(visit.caller, limit.id), draft)
    return visit.go(f"{LIMITS}/{limit.id}", "The limit was changed.")


def _stale(visit: Visit, filled: Filled, limit: Limit, draft: LimitDraft) -> Response:
    """Somebody was faster: both are shown, and the form goes on from what stands. The second click of one act is none."""
    if filled.checked == "yes" and (limit.cap, limit.approval_above) == (draft.cap, draft.approval_above):
        return visit.go(f"{LIMITS}/{limit.id}", "It stands as you asked.")
    last = visit.use.audit.read.end_of(
        visit.environment, TrailFilter(objects=(limit.id,)), None, None, at_most=1
    )
    return visit.show(
        "limits/conflict.html",
        status=412,
        form=replace(filled, typed={**filled.typed, "revision": (str(limit.revision),)}),
        limit=limit,
        draft=draft,
        last=told(last[0]) if last else None,
        say=limit_words,
    )


def _usage(visit: Visit, limit: Limit) -> Usage | None:
    """What is taken of it now, where one counter says so."""
    board = visit.use.limit_board(visit.caller)
    return next((one.usage for one in board if one.limit.id == limit.id), None)


def _look_at_end(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    return _ending(visit, visit.form(start={"revision": str(limit.revision)}), limit)


def _archive(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    filled = visit.form()
    try:
        values = filled.read()
        if not limit.archived:
            visit.use.change_limit.archive(visit.caller, limit_id, values["revision"])
    except Refused as refusal:
        standing = visit.use.queries.limit(visit.caller, limit_id)
        anew = replace(filled, typed={"revision": (str(standing.revision),)})
        return _ending(visit, anew.refused(refusal), standing, status=422)
    return visit.go(f"{LIMITS}/{limit_id}", "The limit is archived. It binds no new request.")


def _ending(visit: Visit, form: Filled, limit: Limit, *, status: int = 200) -> Response:
    usage = _usage(visit, limit)
    return visit.show(
        "limits/archive.html", status=status, form=form, limit=limit, usage=usage, say=limit_words
    )


_NEW, _ONE = f"{LIMITS}/new", f"{LIMITS}/<limit_id>"

PAGES = (
    Page("GET", _NEW, _ask, _OPERATOR, "New limit", form=limit_forms.NEW),
    Page("POST", _NEW, _create, _OPERATOR, "New limit", form=limit_forms.NEW),
    Page("GET", f"{_ONE}/edit", _edit, _OPERATOR, "Change a limit", form=limit_forms.EDIT),
    Page("POST", f"{_ONE}/edit", _change, _OPERATOR, "Change a limit", form=limit_forms.EDIT),
    Page("GET", f"{_ONE}/archive", _look_at_end, _OPERATOR, "Archive a limit", form=limit_forms.ARCHIVE),
    Page("POST", f"{_ONE}/archive", _archive, _OPERATOR, "Archive a limit", form=limit_forms.ARCHIVE),
)
