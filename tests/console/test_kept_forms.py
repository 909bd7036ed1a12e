"""A form that could not be taken yet: it is kept, shown again, and done only when somebody has looked at it."""

import json

import psycopg
import pytest
from flask import Flask

from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.servers import libpq

SIGN_IN = "/console/sign-in"
CODES = "/console/e/test/account/authenticator"


def _is_door(seen: Seen) -> bool:
    return seen.title == "Sign in"


def test_what_was_typed_when_the_session_ended_is_kept_and_nothing_is_done(
    ada: Visitor, world: World, crew: Crew
) -> None:
    """CONSOLE.md §3: 2.2.1."""
    form = ada.get(CODES).form("Set up an authenticator")
    scan = ada.send(form).form("Ask me for codes from now on")
    world.app.people.sessions.end(ada.cookie() or "")
    door = ada.send(scan, code="12 34 <b>56")
    assert (door.status, _is_door(door)) == (401, True)
    assert "What you typed is kept" in door.text
    again = ada.send(door.form("Sign in"), login=crew.login(Role.AGENT), password=PASSWORD)
    assert again.title == "You are signed in again"
    back = ada.send(again.form("Back to the form"))
    assert back.status == 422
    assert "nothing was done" in back.text
    kept = back.form("Ask me for codes from now on")
    assert (kept.value("code"), kept.value("once")) == ("12 34 <b>56", scan.value("once"))
    sent = ada.send(kept)
    assert "You were signed out" not in sent.text


def test_a_password_is_not_kept(ada: Visitor, world: World) -> None:
    form = ada.get("/console/e/test/account/password").form("Change the password")
    world.app.people.sessions.end(ada.cookie() or "")
    door = ada.send(form, current=PASSWORD, password="another ladder entirely")
    assert _is_door(door)
    assert "ladder" not in door.html


@pytest.mark.parametrize(
    "kept",
    [
        "not json",
        "[]",
        json.dumps({"to": "/console/e/test/x"}),
        json.dumps({"to": "/console/e/test/x", "fields": [["a"]]}),
        "[" * 100_000,
    ],
)
def test_a_kept_form_that_no_page_of_ours_made_is_refused(app: Flask, crew: Crew, kept: str) -> None:
    visitor = Visitor(app)
    form = visitor.get(SIGN_IN).form("Sign in")
    seen = visitor.send(form, login=crew.login(Role.AGENT), password=PASSWORD, kept=kept)
    assert seen.status in {400, 413}
    assert visitor.cookie() is None


def test_a_kept_form_for_another_place_is_not_sent_there(app: Flask, crew: Crew) -> None:
    visitor = Visitor(app)
    kept = json.dumps({"to": "https://evil.example/", "fields": [["a", "b"]]})
    form = visitor.get(SIGN_IN).form("Sign in")
    seen = visitor.send(form, login=crew.login(Role.AGENT), password=PASSWORD, kept=kept)
    assert seen.address.startswith("/console/e/test/")
    assert "evil" not in seen.html


def test_what_not_every_open_browser_may_do_asks_first_who_it_is(ada: Visitor, world: World) -> None:
    form = ada.get(CODES).form("Set up an authenticator")
    with psycopg.connect(libpq(world.database_url)) as session:
        session.execute("UPDATE sessions SET confirmed_at = confirmed_at - interval '1 hour'")
    asked = ada.send(form)
    assert (asked.status, asked.title) == (403, "Prove that it is you")
    wrong = ada.send(asked.form("Go on"), password="wrong")
    assert (wrong.status, wrong.title) == (401, "Prove that it is you")
    proved = ada.send(wrong.form("Go on"), password=PASSWORD)
    scan = ada.send(proved.form("Go on"))
    assert (scan.status, scan.title) == (200, "Set up an authenticator")


def test_what_asks_nothing_is_not_done_after_signing_in_again(
    ada: Visitor, app: Flask, world: World, crew: Crew
) -> None:
    form = ada.get("/console/e/test/account").form("Sign out everywhere")
    world.app.people.sessions.end(ada.cookie() or "")
    other = Visitor(app)
    other.sign_in(crew.login(Role.AGENT), PASSWORD)
    door = ada.send(form)
    again = ada.send(door.form("Sign in"), login=crew.login(Role.AGENT), password=PASSWORD)
    back = ada.send(again.form("Back to the form"))
    assert back.status == 200
    assert "nothing was done" in " ".join(one.text for one in back.all("div", class_="said"))
    assert not _is_door(other.get("/console"))
