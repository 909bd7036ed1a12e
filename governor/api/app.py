"""The WSGI application: routes, what happens around every request, and nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial

import structlog
from flask import Flask, Response, g, request
from flask.typing import RouteCallable

from governor.api import (
    audit,
    credentials,
    environment,
    freezes,
    holds,
    limits,
    refund_batches,
    refund_requests,
    reports,
    unknown,
)
from governor.api.application import UseCases
from governor.api.cursors import Cursors
from governor.api.documentation import documentation_asset, documentation_page, openapi_document
from governor.api.errors import register_errors
from governor.api.gate import MAX_BODY_BYTES
from governor.api.health import livez, readyz
from governor.api.openapi import build_openapi
from governor.api.request_line import check_host, check_target, trace_id
from governor.api.responses import SECURITY_HEADERS
from governor.api.route import Route
from governor.api.serve import view_of
from governor.api.webhooks import RULE, stripe_webhook

ROUTES: tuple[Route, ...] = (
    *refund_requests.ROUTES,
    *refund_batches.ROUTES,
    *holds.ROUTES,
    *unknown.ROUTES,
    *limits.ROUTES,
    *credentials.ROUTES,
    *environment.ROUTES,
    *freezes.ROUTES,
    *reports.ROUTES,
    *audit.ROUTES,
)
_PROBES = frozenset({"/livez", "/readyz"})


def create_app(use: UseCases, *, trusted_hosts: Sequence[str], cursor_key: bytes) -> Flask:
    """The surface over an application. `trusted_hosts` are the only names it is addressed by.

    `cursor_key` seals list cursors; all web processes of an installation have the same.
    """
    app = Flask("governor.api", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    # One spelling per route: a redirect to another would carry the key along.
    app.url_map.merge_slashes = False
    app.url_map.redirect_defaults = False
    register_errors(app)
    app.before_request(partial(_begin, trusted_hosts))
    app.after_request(_finish)
    cursors = Cursors(cursor_key)
    for route in ROUTES:
        app.add_url_rule(route.rule, route.endpoint, view_of(route, use, cursors), methods=[route.method])
    _add_public(app, use)
    return app


def _add_public(app: Flask, use: UseCases) -> None:
    document = build_openapi(ROUTES)
    public: dict[str, RouteCallable] = {
        "/livez": livez,
        "/readyz": partial(readyz, use),
        "/api/v1/openapi.json": partial(openapi_document, document),
        "/api/docs": documentation_page,
        "/api/docs/<asset>": documentation_asset,
    }
    for rule, view in public.items():
        app.add_url_rule(rule, rule.strip("/").replace("/", "_").replace(".", "_"), view, methods=["GET"])
    app.add_url_rule(RULE, "stripe_webhook", partial(stripe_webhook, use), methods=["POST"])


def _begin(trusted_hosts: Sequence[str]) -> None:
    """Name the request, then look at its first lines, before any route does."""
    g.request_id = f"req_{secrets.token_hex(12)}"
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)
    if trace := trace_id(request.headers.get("traceparent")):
        structlog.contextvars.bind_contextvars(trace_id=trace)
    if request.path not in _PROBES:
        check_host(request.environ, trusted_hosts)
    check_target(request.environ)


def _finish(response: Response) -> Response:
    response.headers["Request-Id"] = g.request_id
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    return response
