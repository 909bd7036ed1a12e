"""What happens around every request of every surface: it gets a name, and its answer the usual headers."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

import structlog
from flask import Flask, Response, g, request

from governor.http.headers import SECURITY_HEADERS
from governor.http.request_line import check_host, check_target, trace_id

MAX_BODY_BYTES = 64 * 1024
"""No request of ours needs more; a larger one is refused with 413 before it is read."""


def surface(name: str) -> Flask:
    """A bare application: no files, no templates, no second spelling of any route, no bodies that are too large."""
    app = Flask(name, static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    # One spelling per route: a redirect to another would carry what was sent along.
    app.url_map.merge_slashes = False
    app.url_map.redirect_defaults = False
    return app


def begin(trusted_hosts: Sequence[str], any_host: frozenset[str] = frozenset()) -> None:
    """Name the request, then look at its first lines, before any route does. Paths of `any_host` ask for no name of ours.

    Raises:
        Malformed: `host_not_trusted`, `target_malformed`. NotFound: `not_found`.
    """
    name_request()
    if request.path not in any_host:
        check_host(request.environ, trusted_hosts)
    check_target(request.environ)


def name_request() -> None:
    """Give the request the name by which its answer and every line of the log call it."""
    g.request_id = f"req_{secrets.token_hex(12)}"
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)
    if trace := trace_id(request.headers.get("traceparent")):
        structlog.contextvars.bind_contextvars(trace_id=trace)


def finish(response: Response, headers: Mapping[str, str] = SECURITY_HEADERS) -> Response:
    """The name of the request, and the headers that the answer does not have already."""
    response.headers["Request-Id"] = g.request_id
    for name, value in headers.items():
        response.headers.setdefault(name, value)
    return response
