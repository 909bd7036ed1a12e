"""The WSGI application: routes, what happens around every request, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flask import Flask
from flask.typing import RouteCallable

from governor.api import (
    audit,
    credentials,
    environment,
    freezes,
    holds,
    limit_changes,
    limits,
    refund_batches,
    refund_requests,
    reports,
    rules,
    simulation,
    unknown,
    webhook_endpoints,
)
from governor.api.application import UseCases
from governor.api.documentation import documentation_asset, documentation_page, openapi_document
from governor.api.errors import register_errors
from governor.api.health import livez, readyz
from governor.api.openapi import build_openapi
from governor.api.route import Route
from governor.api.serve import view_of
from governor.api.webhooks import RULE, stripe_webhook
from governor.http.cursors import Cursors
from governor.http.every_request import begin, finish, surface
from governor.http.quota import Quota

ROUTES: tuple[Route, ...] = (
    *refund_requests.ROUTES,
    *refund_batches.ROUTES,
    *holds.ROUTES,
    *unknown.ROUTES,
    *limits.ROUTES,
    *rules.ROUTES,
    *simulation.ROUTES,
    *limit_changes.ROUTES,
    *credentials.ROUTES,
    *environment.ROUTES,
    *freezes.ROUTES,
    *reports.ROUTES,
    *audit.ROUTES,
    *webhook_endpoints.ROUTES,
)
_PROBES = frozenset({"/livez", "/readyz"})


def create_app(
    use: UseCases, *, trusted_hosts: Sequence[str], cursor_key: bytes, quota: Quota | None = None
) -> Flask:
    """The surface over an application. `trusted_hosts` are the only names it is addressed by.

    `cursor_key` seals list cursors; all web processes of an installation have the same. `quota` is how often a key
    may call; None: as often as it likes.
    """
    app = surface("governor.api")
    register_errors(app)
    app.before_request(partial(begin, trusted_hosts, _PROBES))
    app.after_request(finish)
    cursors = Cursors(cursor_key)
    for route in ROUTES:
        view = view_of(route, use, cursors, quota)
        app.add_url_rule(route.rule, route.endpoint, view, methods=[route.method])
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
