"""Everything that goes wrong in the console becomes a page that says what to do next, and nothing of it leaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from governor.console.rendering import bare, drawn, page_of
from governor.domain.errors import (
    Conflict,
    Forbidden,
    GovernorError,
    Invalid,
    InvariantBroken,
    Malformed,
    NotFound,
    PreconditionFailed,
    PreconditionRequired,
    TooManyTries,
    Unauthenticated,
    Unavailable,
    Unconfirmed,
)
from governor.logging import what_broke

log = structlog.get_logger(__name__)

STATUSES: Mapping[type[GovernorError], int] = {
    Malformed: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    PreconditionFailed: 412,
    PreconditionRequired: 412,
    Invalid: 422,
    TooManyTries: 429,
    InvariantBroken: 500,
    Unavailable: 503,
}
"""Each kind of refusal and the status of its page."""


class Told(NamedTuple):
    """What a page of this status says: its title, and what its reader can do."""

    title: str
    advice: str


TOLD: Mapping[int, Told] = {
    400: Told("This request cannot be read", "Go back to the page you came from, and try again from there."),
    401: Told("You are not signed in", "Sign in to go on."),
    403: Told("You may not do this", "Nothing was done."),
    404: Told("There is nothing here", "The address may be misspelt, or it belongs to somebody else."),
    405: Told("This cannot be done here", "Go back to the page you came from, and try again from there."),
    409: Told("This was not done: something else stands", "Look at how it stands now before you go on."),
    412: Told("Somebody changed this meanwhile", "Look at how it stands now, and change that."),
    413: Told(
        "This is too much text", "A form takes up to 64 KiB. Shorten what you typed, and send it again."
    ),
    422: Told("This form cannot be used", "Go back, and look at what you typed."),
    429: Told("Too many tries", "Wait a little, and try again."),
    500: Told(
        "Something is wrong with governor",
        "It has been noted. Whether something was done is shown by the refund request itself: look there first.",
    ),
    503: Told(
        "governor cannot do this now", "Nothing was decided. Try again in a moment: a form may be sent again."
    ),
}

NO_ROLE = Told(
    "You may not do this",
    "An operator of this environment can give you the role it needs. Nothing was changed.",
)

UNCONFIRMED = Told(
    "It is not known yet whether this was done",
    "The connection to the database was lost at that moment. Go back and send the same form again: it is done once,"
    " however often it is sent.",
)


def register_errors(app: Flask) -> None:
    """Let every exception of every request end here."""
    app.register_error_handler(GovernorError, _refused)
    app.register_error_handler(HTTPException, _not_routed)
    app.register_error_handler(Exception, _unexpected)


def status_of(error: GovernorError) -> int:
    """The status of the nearest kind that the table knows."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def _refused(error: GovernorError) -> Response:
    if isinstance(error, InvariantBroken):
        log.error("invariant_broken", promise=error.code, **what_broke(error))
        return error_page(500)
    if isinstance(error, Unavailable):
        log.warning("unavailable", code=error.code)
    told = NO_ROLE if error.code == "role_not_allowed" else None
    if isinstance(error, Unconfirmed) and request.method == "POST":
        told = UNCONFIRMED
    answer = error_page(status_of(error), error.detail, error.code, told)
    if isinstance(error, Unavailable):
        answer.headers["Retry-After"] = str(error.retry_after_seconds)
    return answer


def _not_routed(error: HTTPException) -> Response:
    """What the framework refuses: no such page or method, too much, or unreadable."""
    status = error.code or 500
    if status >= 500:
        original = getattr(error, "original_exception", None)
        return _unexpected(original or error)
    answer = error_page(status if status in TOLD else 400)
    allow = getattr(error, "valid_methods", None)
    if allow:
        answer.headers["Allow"] = ", ".join(sorted(allow))
    return answer


def _unexpected(error: Exception) -> Response:
    log.error("internal_error", **what_broke(error))
    return error_page(500)


def error_page(
    status: int, detail: str | None = None, code: str | None = None, told: Told | None = None
) -> Response:
    """The page of a status, with the name of the request for whoever asks for help."""
    facts = {
        "status": status,
        "told": told or TOLD[status],
        "detail": detail,
        "code": code,
        "request_id": g.request_id,
    }
    return page_of(drawn("error.html", facts | bare(request)), status)
