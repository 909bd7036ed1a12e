"""The console's application: its pages, its ways in, and what happens around every request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flask import Flask, Response, request

from governor.console.application import UseCases
from governor.console.assets import RULE, serve_asset
from governor.console.errors import register_errors
from governor.console.own_paths import HOME
from governor.console.pages import PAGES
from governor.console.rendering import onward
from governor.console.sealing import Seals
from governor.console.serve import Served
from governor.console.sign_in.door_pages import CONFIRM, SIGN_IN, DoorPages
from governor.console.sign_in.doors import SIGN_OUT, Doors
from governor.console.sign_in.elsewhere import CALLBACK, ELSEWHERE, Elsewhere
from governor.console.sign_in.lobby import Lobby
from governor.http.cursors import Cursors
from governor.http.every_request import begin, finish, name_request, surface
from governor.http.request_line import check_host


def create_console(use: UseCases, *, trusted_hosts: Sequence[str], key: bytes) -> Flask:
    """The console over an application. `trusted_hosts` are the only names it is addressed by.

    `key` seals what goes through the browser; all web processes of an installation have the same.
    """
    app = surface("governor.console")
    register_errors(app)
    app.before_request(partial(_begin, trusted_hosts))
    app.after_request(finish)
    seals, door_pages = Seals(key), DoorPages(use.people.elsewhere is not None)
    served = Served(use, PAGES, Cursors(key), seals, door_pages)
    for page in PAGES:
        app.add_url_rule(
            f"/console/e/<environment>{page.rule}",
            page.endpoint,
            served.view_of(page),
            methods=[page.method],
        )
    _add_doors(app, Doors(use, door_pages), Elsewhere(use, door_pages), Lobby(served))
    return app


def _add_doors(app: Flask, doors: Doors, elsewhere: Elsewhere, lobby: Lobby) -> None:
    for method, rule, view in (
        ("GET", SIGN_IN, doors.show_sign_in),
        ("POST", SIGN_IN, doors.sign_in),
        ("POST", SIGN_OUT, doors.sign_out),
        ("GET", CONFIRM, doors.show_confirm),
        ("POST", CONFIRM, doors.confirm),
        ("GET", ELSEWHERE, elsewhere.go),
        ("GET", CALLBACK, elsewhere.come_back),
        ("GET", HOME, lobby.home),
        ("GET", "/console/e/<environment>", lobby.home_of),
        ("POST", "/console/look", lobby.change_look),
        ("GET", RULE, serve_asset),
    ):
        app.add_url_rule(rule, f"{method} {rule}", view, methods=[method])


def _begin(trusted_hosts: Sequence[str]) -> Response | None:
    """As everywhere; and two addresses that people type lead to the beginning."""
    if request.path not in {"/", f"{HOME}/"}:
        begin(trusted_hosts)
        return None
    name_request()
    check_host(request.environ, trusted_hosts)
    return onward(HOME)
