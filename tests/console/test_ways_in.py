"""Signing in and out, what is kept meanwhile, and where one gets to."""

import pytest
from flask import Flask

from governor.console.app import create_console
from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew

SIGN_IN = "/console/sign-in"
CODES = "/console/e/test/account/authenticator"


def _is_door(seen: Seen) -> bool:
    return seen.title == "Sign in"


def test_a_person_begins_at_a_page_of_their_role(app: Flask, crew: Crew) -> None:
    seen = Visitor(app).sign_in(crew.login(Role.AUDITOR), PASSWORD)
    assert (seen.status, _is_door(seen)) == (200, False)
    assert seen.address.startswith("/console/e/test/")


@pytest.mark.parametrize("typed", ["/", "/console/", "/console"])
def test_what_people_type_leads_to_the_beginning(ada: Visitor, typed: str) -> None:
    assert ada.get(typed).address.startswith("/console/e/test/")


@pytest.mark.parametrize(
    ("login", "password"),
    [("ada", "not a ladder in the orchard"), ("nobody", PASSWORD), ("", ""), ("ada\x01", PASSWORD)],
)
def test_a_wrong_try_says_the_same_whatever_was_wrong(
    app: Flask, crew: Crew, login: str, password: str
) -> None:
    """RELIABILITY §4.10, 185."""
    crew.login(Role.AGENT)
    visitor = Visitor(app)
    seen = visitor.sign_in(login, password)
    assert (seen.status, seen.all("p", role="alert")[0].text) == (
        401,
        "The login, the password or the code is wrong.",
    )
    assert visitor.cookie() is None
    assert password == "" or password not in seen.html


def test_too_many_wrong_tries_are_slowed_down_even_when_one_is_right(app: Flask, crew: Crew) -> None:
    """RELIABILITY §4.10, 185."""
    login = crew.somebody("finn", {"test": [Role.AGENT]})
    visitor = Visitor(app)
    for _ in range(100):
        seen = visitor.sign_in(login, "wrong")
        if seen.status == 429:
            break
        assert seen.status == 401
    assert visitor.sign_in(login, PASSWORD).status == 429
    assert visitor.cookie() is None


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example",
        "https:evil.example",
        "https://evil.example/console",
        "javascript:alert(1)",
        "/\\evil.example",
        "/console/../api",
        "/console//evil",
        "/api/docs",
        "\t//evil",
    ],
)
def test_only_pages_of_the_console_are_gone_on_to(app: Flask, crew: Crew, wanted: str) -> None:
    """RELIABILITY §4.10, 184."""
    visitor = Visitor(app)
    form = visitor.client.get(SIGN_IN, query_string={"next": wanted}, base_url="http://localhost")
    sent = Seen(SIGN_IN, form).form("Sign in")
    assert sent.value("next") == "/console"
    sent.fields[:] = [*(pair for pair in sent.fields if pair[0] != "next"), ("next", wanted)]
    seen = visitor.send(sent, login=crew.login(Role.AGENT), password=PASSWORD)
    assert seen.address.startswith("/console/e/test/")


def test_one_goes_on_to_where_one_wanted_to_go(app: Flask, crew: Crew) -> None:
    visitor = Visitor(app)
    door = visitor.get("/console/e/test/refund-requests?state=queued&payment=pi_1")
    seen = visitor.send(door.form("Sign in"), login=crew.login(Role.AGENT), password=PASSWORD)
    assert seen.address == "/console/e/test/refund-requests?state=queued&payment=pi_1"


def test_a_session_that_was_planted_is_not_taken_over(app: Flask, crew: Crew) -> None:
    """RELIABILITY §4.10, 183."""
    planted = "0123456789012345678901234567890123456789012"
    victim = Visitor(app)
    victim.client.set_cookie("governor-console", planted)
    victim.sign_in(crew.login(Role.AGENT), PASSWORD)
    assert victim.cookie() not in {None, planted}
    attacker = Visitor(app)
    attacker.client.set_cookie("governor-console", planted)
    assert _is_door(attacker.get("/console"))


def test_signing_in_anew_ends_the_session_before(ada: Visitor, app: Flask, crew: Crew) -> None:
    thief = Visitor(app)
    thief.client.set_cookie("governor-console", ada.cookie() or "")
    assert not _is_door(thief.get("/console"))
    ada.sign_in(crew.login(Role.AGENT), PASSWORD)
    assert _is_door(thief.get("/console"))
    assert not _is_door(ada.get("/console"))


def test_a_cookie_of_somebody_signed_out_opens_nothing(ada: Visitor) -> None:
    """RELIABILITY §4.10, 183."""
    token = ada.cookie() or ""
    assert _is_door(ada.send(ada.get("/console").form("Sign out")))
    assert ada.cookie() is None
    ada.client.set_cookie("governor-console", token)
    assert _is_door(ada.get("/console"))


def test_a_cookie_of_somebody_disabled_opens_nothing(app: Flask, world: World, crew: Crew) -> None:
    """RELIABILITY §4.10, 183."""
    login = crew.somebody("gone", {"test": [Role.OPERATOR]})
    visitor = Visitor(app)
    visitor.sign_in(login, PASSWORD)
    world.app.people.manage.disable(login)
    assert _is_door(visitor.get("/console"))
    seen = visitor.post(CODES, {"once": "a-key-of-some-form", "code": "1"})
    assert (seen.status, _is_door(seen)) == (401, True)


def test_the_cookie_is_for_this_browser_alone_and_for_tls_elsewhere(world: World, crew: Crew) -> None:
    login = crew.login(Role.AGENT)
    console = create_console(world.app, trusted_hosts=["governor.internal", "localhost"], key=b"k")
    for host, name, secure in (
        ("http://localhost", "governor-console", False),
        ("https://governor.internal", "__Host-governor", True),
        ("http://governor.internal", "__Host-governor", True),
    ):
        fields = {"login": login, "password": PASSWORD}
        got = Visitor(console).client.post(
            SIGN_IN, data=fields, base_url=host, headers={"Sec-Fetch-Site": "same-origin"}
        )
        assert got.status_code == 303
        cookie = got.headers["Set-Cookie"]
        assert cookie.startswith(f"{name}=")
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert ("Secure" in cookie) is secure


def test_a_plain_address_elsewhere_says_that_nobody_stays_signed_in(world: World) -> None:
    console = create_console(world.app, trusted_hosts=["governor.internal"], key=b"k")
    plain = Visitor(console).client.get(SIGN_IN, base_url="http://governor.internal")
    assert "not encrypted" in plain.get_data(as_text=True)
    safe = Visitor(console).client.get(SIGN_IN, base_url="https://governor.internal")
    assert "not encrypted" not in safe.get_data(as_text=True)


@pytest.mark.parametrize("address", [SIGN_IN, "/console/sign-out", "/console/confirm", "/console/look"])
def test_the_doors_take_nothing_from_another_site(app: Flask, address: str) -> None:
    """RELIABILITY §4.10, 181: signing somebody in as somebody else is an attack, too."""
    for headers in (
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": ""},
    ):
        seen = Visitor(app).post(address, {"login": "ada"}, **headers)
        assert seen.status == 403
        assert "This was not sent from a page of the console. Nothing was done." in seen.text
        assert "somebody else" not in seen.text, "nobody else may send it either"


def test_the_look_is_remembered_and_cannot_be_spoilt(ada: Visitor) -> None:
    seen = ada.send(ada.get("/console").form("dark"))
    assert seen.all("html")[0].attributes["data-bs-theme"] == "dark"
    assert ada.send(seen.form("compact")).all("html")[0].attributes["data-density"] == "compact"
    ada.client.set_cookie("governor-look", '"><script>.x.y', path="/console")
    seen = ada.get("/console")
    assert seen.all("html")[0].attributes["data-bs-theme"] == "system"
    assert seen.status == 200
