"""Operators set limits: a new one, another cap, and the end of one. Each is looked at once more before it counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from flask import Response

from governor.console.fields import Filled
from governor.console.page import Page
from governor.console.steer import limit_forms, limit_words
from governor.console.steer.limits import LIMITS
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import PreconditionFailed, Refused
from governor.domain.limit_changes import LimitChange, Standing
from governor.domain.limits import Limit, Usage
from governor.domain.seen import AsSeen
from governor.usecases.change_limit import LimitDraft, checked
from governor.usecases.limit_history import ShownChange
from governor.usecases.limit_series import Saying
from governor.usecases.limit_slips import ever_narrower, is_stranger, times_as_much

_OPERATOR = (Role.OPERATOR,)
WAITS = "Your word is recorded. It allows more, so it waits for a second person who says the same."


def _ask(visit: Visit) -> Response:
    """A blank form, or one that says what another limit does, archived or not."""
    like = visit.one("like", str)
    start = (
        {"time_zone": "UTC"}
        if like is None
        else limit_forms.again(visit.use.queries.limit(visit.caller, like), visit.now)
    )
    return visit.show("limits/new.html", form=visit.form(start=start))


def _create(visit: Visit) -> Response:
    filled = limit_forms.fitted_new(visit.form())
    try:
        values = filled.read()
        reason = values.pop("reason") or ""
        draft = checked(LimitDraft(**values))
        if filled.checked == "no":
            return visit.show("limits/new.html", form=filled)
        if filled.checked != "yes":
            return _look_at_new(visit, filled, draft)
        limit, _ = visit.use.change_limit.create(visit.caller, draft, filled.once, reason)
    except Refused as refusal:
        return visit.show_again("limits/new.html", filled, refusal)
    waits = limit.cap != draft.cap
    done = "The limit counts from now on, with what was taken already."
    return visit.go(f"{LIMITS}/{limit.id}", WAITS if waits else done)


def _look_at_new(visit: Visit, filled: Filled, draft: LimitDraft) -> Response:
    known = [one for _, one in visit.use.queries.credentials(visit.caller)]
    return visit.show(
        "limits/check_new.html",
        form=filled,
        draft=draft,
        narrower=ever_narrower(draft, visit.use.queries.limits(visit.caller)),
        stranger=is_stranger(draft, known, visit.now),
        say=limit_words,
    )


def _edit(visit: Visit, limit_id: str) -> Response:
    """It begins with what was said for good: a raise for a time is not made to last by saying nothing of it."""
    limit = visit.use.queries.limit(visit.caller, limit_id)
    lasting = limit.for_good(visit.now)
    start = {
        "cap": limit_forms.typed(limit, lasting.cap),
        "approval_above": limit_forms.typed(limit, lasting.approval_above),
        "seen": str(_seen(visit, limit)),
    }
    form = visit.form(limit_forms.edit_form(limit), start=start)
    return visit.show("limits/edit.html", form=form, limit=limit, say=limit_words)


def _change(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    filled = visit.form(limit_forms.edit_form(limit))
    try:
        values = filled.read()
        wish = _Wish(checked(limit_forms.changed_draft(limit, values)), limit_forms.said(values, visit.now))
        if values["seen"] != _seen(visit, limit):
            return _stale(visit, filled, limit, wish)
        if filled.checked == "yes":
            return _changed(visit, filled, limit, wish, values["seen"])
    except Refused as refusal:
        return visit.show_again("limits/edit.html", filled, refusal, limit=limit, say=limit_words)
    if filled.checked == "no":
        return visit.show("limits/edit.html", form=filled, limit=limit, say=limit_words)
    return visit.show(
        "limits/check_edit.html",
        form=limit_forms.settled(filled, wish.said),
        draft=wish.draft,
        said=wish.said,
        changes=wish.changes(limit, visit.now),
        times=times_as_much(limit.cap, wish.draft.cap),
        usage=_usage(visit, limit),
        limit=limit,
        say=limit_words,
    )


@dataclass(frozen=True)
class _Wish:
    """What somebody wants of a limit, why and for when."""

    draft: LimitDraft
    said: Saying

    def changes(self, limit: Limit, now: datetime) -> bool:
        """Whether anything would be different with it: what stands already, for good, need not be said again."""
        wanted = (self.draft.cap, self.draft.approval_above)
        return wanted != (limit.cap, limit.approval_above) or limit.turn(now) is not None

    def is_told_by(self, change: LimitChange, person: str) -> bool:
        """Whether this change is the wish of this person, said already."""
        mine = (self.draft.cap, self.draft.approval_above, self.said.until, self.said.reason, person)
        word = change.proposed
        return mine == (change.cap, change.approval_above, change.until, word.reason, word.person)


def _changed(visit: Visit, filled: Filled, limit: Limit, wish: _Wish, seen: AsSeen) -> Response:
    try:
        visit.use.change_limit.update(visit.caller, limit.id, wish.draft, seen, wish.said)
    except PreconditionFailed:
        return _stale(visit, filled, visit.use.queries.limit(visit.caller, limit.id), wish)
    newest = _newest(visit, limit)
    done = WAITS if newest.standing is Standing.PROPOSED else "The limit was changed."
    return visit.go(
        f"{LIMITS}/{limit.id}",
        "It counts from its own time on." if newest.standing is Standing.TO_COME else done,
    )


def _stale(visit: Visit, filled: Filled, limit: Limit, wish: _Wish) -> Response:
    """Somebody was faster: both are shown, and the form goes on from what stands. The second click of one act is none."""
    newest = _newest(visit, limit)
    if filled.checked == "yes" and wish.is_told_by(newest.change, visit.caller.credential.owner):
        return visit.go(f"{LIMITS}/{limit.id}", "It is said as you asked.")
    return visit.show(
        "limits/conflict.html",
        status=412,
        form=replace(filled, typed={**filled.typed, "seen": (str(_seen(visit, limit)),)}),
        limit=limit,
        draft=wish.draft,
        newest=newest,
        say=limit_words,
    )


def _seen(visit: Visit, limit: Limit) -> AsSeen:
    """What the page shows of it, which the change that is asked for names."""
    return visit.use.limit_history.seen(visit.caller, limit)


def _newest(visit: Visit, limit: Limit) -> ShownChange:
    """What was said of it last; a limit begins with a word."""
    return visit.use.limit_history.changes(visit.caller, limit.id)[0]


def _usage(visit: Visit, limit: Limit) -> Usage | None:
    """What is taken of it now, where one counter says so."""
    board = visit.use.limit_board(visit.caller)
    return next((one.usage for one in board if one.limit.id == limit.id), None)


def _look_at_end(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    return _ending(visit, visit.form(start={"seen": str(_seen(visit, limit))}), limit)


def _archive(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    filled = visit.form()
    try:
        values = filled.read()
        if not limit.archived:
            reason = values["reason"] or ""
            limit = visit.use.change_limit.archive(visit.caller, limit_id, values["seen"], reason)
    except Refused as refusal:
        standing = visit.use.queries.limit(visit.caller, limit_id)
        anew = replace(filled, typed={**filled.typed, "seen": (str(_seen(visit, standing)),)})
        return _ending(visit, anew.refused(refusal), standing, status=422)
    archived = "The limit is archived. It binds no new request."
    return visit.go(f"{LIMITS}/{limit_id}", archived if limit.archived else WAITS)


def _ending(visit: Visit, form: Filled, limit: Limit, *, status: int = 200) -> Response:
    usage = _usage(visit, limit)
    return visit.show(
        "limits/archive.html", status=status, form=form, limit=limit, usage=usage, say=limit_words
    )


_NEW, _ONE = f"{LIMITS}/new", f"{LIMITS}/<limit_id>"

PAGES = (
    Page("GET", _NEW, _ask, _OPERATOR, "New limit", query=("like",), form=limit_forms.NEW),
    Page("POST", _NEW, _create, _OPERATOR, "New limit", form=limit_forms.NEW),
    Page("GET", f"{_ONE}/edit", _edit, _OPERATOR, "Change a limit", form=limit_forms.EDIT),
    Page("POST", f"{_ONE}/edit", _change, _OPERATOR, "Change a limit", form=limit_forms.EDIT),
    Page("GET", f"{_ONE}/archive", _look_at_end, _OPERATOR, "Archive a limit", form=limit_forms.ARCHIVE),
    Page("POST", f"{_ONE}/archive", _archive, _OPERATOR, "Archive a limit", form=limit_forms.ARCHIVE),
)
