"""Everything that goes wrong becomes a problem here, and nothing of it leaks (API.md "Problems")."""

from __future__ import annotations

import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from governor.api.auth import challenge
from governor.api.problems import PROBLEMS, document_of, problem_document
from governor.api.responses import problem
from governor.api.route import READING
from governor.domain.errors import Conflict, GovernorError, InvariantBroken, Unauthenticated, Unavailable
from governor.logging import what_broke

log = structlog.get_logger(__name__)

IN_FLIGHT_SECONDS = 1
"""A decision takes milliseconds once the provider has answered."""
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


def register_errors(app: Flask) -> None:
    """Let every exception of every request end here."""
    app.register_error_handler(GovernorError, _refused)
    app.register_error_handler(HTTPException, _not_routed)
    app.register_error_handler(Exception, _unexpected)


def _refused(error: GovernorError) -> Response:
    if error.code == "decision_not_recorded" and request.method in READING:
        # A look decides nothing that could go unrecorded.
        error = Unavailable("database_unavailable", "The database cannot be read.")
    headers: dict[str, str] = {}
    if isinstance(error, InvariantBroken):
        log.error("invariant_broken", promise=error.code, **what_broke(error))
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = challenge(error.code)
    if isinstance(error, Unavailable):
        log.warning("unavailable", code=error.code)
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Conflict) and PROBLEMS[error.code].retryable:
        headers["Retry-After"] = str(IN_FLIGHT_SECONDS)
    return problem(document_of(error, request.path, g.request_id), headers)


def _not_routed(error: HTTPException) -> Response:
    """What the framework refuses: no such route or method, too much, or unreadable."""
    status = error.code or 500
    if status >= 500:
        original = getattr(error, "original_exception", None)
        return _unexpected(original or error)
    # A redirect would carry the key to another place; our routes have one spelling.
    code = _CODES.get(status, "not_found" if status < 400 else "bad_request")
    allow = getattr(error, "valid_methods", None)
    headers = {"Allow": ", ".join(sorted(allow))} if allow else {}
    return problem(_fixed(code), headers)


def _unexpected(error: Exception) -> Response:
    log.error("internal_error", **what_broke(error))
    return problem(_fixed("internal_error"))


def _fixed(code: str) -> dict[str, object]:
    return problem_document(code, PROBLEMS[code].title + ".", request.path, g.request_id)
