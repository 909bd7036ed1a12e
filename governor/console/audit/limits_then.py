"""The limits as they stood on a day of the past: which they were, what they allowed, and whose word that was."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from flask import Response

from governor.console import typed_times
from governor.console.fields import Field, Form
from governor.console.page import Page
from governor.console.steer import limit_words
from governor.console.steer.limits import LIMITS, OVERSEERS
from governor.console.visit import Visit
from governor.domain.errors import Invalid
from governor.http.query import printable

_TICK: Final = timedelta(microseconds=1)
"""The smallest step of a time that is kept."""


def _moment(text: str) -> datetime:
    """A moment, UTC: of a day its last one, for what begins at midnight is of the next.

    Raises:
        ValueError: as of `typed_times.begin`.
    """
    begin, end = typed_times.begin(text), typed_times.end(text)
    return end if begin == end else end - _TICK


FORM: Final = Form((Field("on", "On", "A date, at its end, or a time; in UTC.", at_most=40, read=_moment),))


def _look(visit: Visit) -> Response:
    """Nothing is to be told of the future, so a day that is not over stands as it is now."""
    form = visit.form_beside(FORM, start={"on": visit.one("on", printable) or f"{visit.now:%Y-%m-%d}"})
    try:
        at = min(form.read()["on"], visit.now)
    except Invalid as refusal:
        return visit.show_again("limits/then.html", form, refusal, at=None, say=limit_words)
    size = visit.page_size + 1
    found = visit.use.limit_history.then(visit.caller, at, after=visit.after, at_most=size)
    listed = visit.listed(found, lambda one: one[0].id)
    return visit.show("limits/then.html", form=form, at=at, listed=listed, say=limit_words)


PAGES = (Page("GET", f"{LIMITS}/then", _look, OVERSEERS, "Limits on a day", query=("on",), listing=True),)
