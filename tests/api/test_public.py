"""What is answered without a key: health, and the documentation, which comes from this machine only."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from flask import Flask

from governor.api.app import create_app
from tests.api.wire import Got, InProcess, Sent
from tests.builders import World


def look(app: Flask, target: str, host: str = "localhost") -> Got:
    return InProcess(app)(Sent("GET", target, (("Host", host),)))


def test_a_living_process_says_so_under_any_name(app: Flask) -> None:
    got = look(app, "/livez", host="10.1.2.3:8080")
    assert (got.status, got.json) == (200, {"status": "ok"})


def test_a_ready_process_says_so(app: Flask) -> None:
    got = look(app, "/readyz")
    assert (got.status, got.json) == (200, {"status": "ok"})


@pytest.mark.parametrize("missing", ["database", "migrations", "redis", "outbox"])
def test_a_process_that_lacks_something_is_not_ready_and_says_not_what(world: World, missing: str) -> None:
    parts = dict.fromkeys(("database", "migrations", "redis", "outbox"), True) | {missing: False}
    broken = replace(world.app, ready=lambda: parts)
    got = look(create_app(broken, trusted_hosts=["localhost"], cursor_key=b"k"), "/readyz")
    assert (got.status, got.json) == (503, {"status": "unavailable"})


def test_the_documentation_page_loads_from_here_only_and_runs_nothing_inline(app: Flask) -> None:
    page = look(app, "/api/docs")
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    text = page.body.decode()
    loaded = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert loaded
    for target in loaded:
        assert look(app, target).status == 200, target
    assert re.findall(r"<script(?![^>]*src=)", text) == []
    assert re.findall(r"\son\w+=|style=", text) == []


def test_the_vendored_files_are_the_ones_that_were_pinned(app: Flask) -> None:
    text = look(app, "/api/docs").body.decode()
    pinned = re.findall(r'(?:src|href)="([^"]+)" integrity="sha384-([^"]+)"', text)
    assert len(pinned) == 2
    for target, expected in pinned:
        digest = hashlib.sha384(look(app, target).body).digest()
        assert base64.b64encode(digest).decode() == expected, target


@pytest.mark.parametrize("asset", ["docs.html", "nothing.js", "..", "swagger-ui-LICENSE.txt"])
def test_no_other_file_is_served(app: Flask, asset: str) -> None:
    assert (look(app, f"/api/docs/{asset}").status, look(app, f"/api/docs/{asset}").code) == (
        404,
        "not_found",
    )
