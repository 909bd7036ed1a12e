"""One entry for two surfaces that have nothing in common, and what each says when something goes wrong."""

from collections.abc import Callable

import pytest
from flask import Flask

from governor.api.app import create_app
from governor.console.app import create_console
from governor.console.errors import STATUSES, TOLD, register_errors, status_of
from governor.domain import errors
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, GovernorError, InvariantBroken, Unavailable, Unconfirmed
from governor.http.every_request import begin, finish, surface
from governor.http.front import Front
from tests.builders import World
from tests.console.browsing import Visitor


@pytest.fixture(scope="module")
def front(world: World) -> Visitor:
    """Somebody before the web process's one entry."""
    hosts = ["localhost"]
    api = create_app(world.app, trusted_hosts=hosts, cursor_key=b"k" * 32)
    return Visitor(Front(api=api, console=create_console(world.app, trusted_hosts=hosts, key=b"k" * 32)))


@pytest.mark.parametrize(
    ("address", "status", "kind"),
    [
        ("/", 200, "text/html; charset=utf-8"),
        ("/console", 200, "text/html; charset=utf-8"),
        ("/console/nothing", 404, "text/html; charset=utf-8"),
        ("/console/e/test/%2e%2e", 404, "text/html; charset=utf-8"),
        ("/consolex", 404, "application/problem+json"),
        ("/api/v1/nothing", 404, "application/problem+json"),
        ("/api/v1/refund-requests", 401, "application/problem+json"),
        ("/nothing", 404, "application/problem+json"),
        ("/livez", 200, "application/json"),
    ],
)
def test_each_address_is_answered_by_its_own_surface(
    front: Visitor, address: str, status: int, kind: str
) -> None:
    seen = front.get(address)
    assert (seen.status, seen.response.headers["Content-Type"]) == (status, kind)


def test_the_console_is_answered_under_our_own_names_alone(front: Visitor) -> None:
    got = front.client.get("/console", base_url="http://evil.example")
    assert (got.status_code, "This host name is not served here" in got.text) == (400, True)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "POST"])
def test_a_method_that_a_page_does_not_have_is_said_to_be_none(front: Visitor, method: str) -> None:
    got = front.client.open("/console/help", method=method, base_url="http://localhost")
    listed = front.client.open("/console/e/test/refund-requests", method=method, base_url="http://localhost")
    assert got.status_code == 404
    assert listed.status_code == (303 if method == "HEAD" else 405)


def _told(failure: Exception) -> Visitor:
    """Somebody before a surface whose only page fails so."""

    def fail() -> None:
        raise failure

    app = surface("a surface that fails")
    register_errors(app)
    app.before_request(lambda: begin(["localhost"]))
    app.after_request(finish)
    rules: dict[str, Callable[[], None]] = {"GET": fail, "POST": fail}
    for method, view in rules.items():
        app.add_url_rule("/console/fails", method, view, methods=[method])  # type: ignore[arg-type]  # it answers with an error
    return Visitor(app)


def test_what_went_wrong_inside_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    for failure in (
        RuntimeError("a secret in the text"),
        InvariantBroken("counter_off", "a secret in the text"),
    ):
        seen = _told(failure).get("/console/fails")
        assert (seen.status, seen.title) == (500, "Something is wrong with governor")
        assert "secret" not in seen.html
        assert "counter_off" not in seen.html
        assert seen.response.headers["Request-Id"] in seen.text
    assert "a secret in the text" not in capsys.readouterr().out


def test_what_cannot_be_done_now_says_when_to_try_again() -> None:
    seen = _told(Unavailable("frozen", "Refunds are frozen here.", retry_after_seconds=60)).get(
        "/console/fails"
    )
    assert (seen.status, seen.response.headers["Retry-After"]) == (503, "60")
    assert "Refunds are frozen here. Nothing was decided." in seen.text


def test_what_may_have_been_done_is_never_said_not_to_be() -> None:
    """DESIGN §1: unknown is not failed."""
    lost = Unconfirmed("decision_not_recorded", "The connection was lost.")
    seen = _told(lost).post("/console/fails", {})
    assert seen.status == 503
    assert "It is not known yet whether this was done" in seen.text
    assert "Nothing was decided" not in seen.text


def test_every_kind_of_refusal_has_a_status_and_every_status_its_words() -> None:
    kinds = [
        one
        for one in vars(errors).values()
        if isinstance(one, type)
        and issubclass(one, GovernorError)
        and one not in {GovernorError, errors.Refused}
    ]
    assert len(kinds) > 8
    assert {status_of(kind("code", "words")) for kind in kinds} <= set(TOLD)
    assert set(STATUSES.values()) <= set(TOLD)
    assert status_of(Conflict("hold_changed", "It changed.")) == 409


def test_a_page_that_fails_has_the_headers_of_every_page() -> None:
    seen = _told(RuntimeError("x")).get("/console/fails")
    assert "script-src 'self'" in seen.response.headers["Content-Security-Policy"]
    assert seen.response.headers["Cache-Control"] == "no-store"
    assert isinstance(seen.root.tag, str)


def test_a_console_without_a_database_says_that_it_cannot_now(world: World) -> None:
    gone = world.another_process(database_url="postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    app: Flask = create_console(gone, trusted_hosts=["localhost"], key=b"k" * 32)
    visitor = Visitor(app)
    visitor.client.set_cookie("governor-console", "0" * 43)
    assert visitor.get("/console/sign-in").status == 200
    assert visitor.get("/console").status == 503
    assert visitor.get("/console/e/test/refund-requests").status == 503


def test_help_tells_requesters_of_no_shortcut_that_they_have_not(
    visitor: Callable[[Role], Visitor],
) -> None:
    told = {role: visitor(role).get("/console/e/test/help").text for role in Role}
    assert {role: "On a hold" in text for role, text in told.items()} == {
        role: role is not Role.AGENT for role in Role
    }
    assert all("Go to the search box" in text for text in told.values())
