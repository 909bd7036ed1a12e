"""What people keep in order themselves."""

import base64
import re
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from flask import Flask

from governor.console.sign_in.account import qr_path
from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew

ACCOUNT = "/console/e/test/account"
_numbers = iter(range(1000))


@pytest.fixture
def login(crew: Crew) -> str:
    """Somebody of this test alone."""
    return crew.somebody(f"person{next(_numbers)}", {"test": [Role.AGENT]})


@pytest.fixture
def me(app: Flask, login: str) -> Visitor:
    """Them, signed in."""
    visitor = Visitor(app)
    visitor.sign_in(login, PASSWORD)
    return visitor


def test_a_person_sees_who_they_are_and_where(me: Visitor, login: str) -> None:
    page = me.get(ACCOUNT)
    assert login in page.text
    assert "In test agent" in page.text
    assert "This browser" in page.text


def test_another_password_ends_every_other_session(me: Visitor, app: Flask, login: str) -> None:
    other = Visitor(app)
    other.sign_in(login, PASSWORD)
    form = me.get(f"{ACCOUNT}/password").form("Change the password")
    done = me.send(form, current=PASSWORD, password=" a boat on the canal ")
    assert "Your password was changed" in done.text
    assert "Your password was changed" not in me.get(ACCOUNT).text, "what was done is told once"
    assert other.get(ACCOUNT).title == "Sign in"
    assert Visitor(app).sign_in(login, "a boat on the canal").status == 401
    assert Visitor(app).sign_in(login, " a boat on the canal ").status == 200


@pytest.mark.parametrize(
    ("current", "new", "said"),
    [
        (PASSWORD, "short", "12 characters or more"),
        ("wrong", "a boat on the canal", "is wrong"),
        (PASSWORD, "", "Fill in: New password."),
        ("", "", "Fill in: Current password."),
    ],
)
def test_a_password_that_cannot_be_is_refused_at_its_field(
    me: Visitor, current: str, new: str, said: str
) -> None:
    form = me.get(f"{ACCOUNT}/password").form("Change the password")
    seen = me.send(form, current=current, password=new)
    assert seen.status == 422
    assert said in seen.all("div", class_="error-summary")[0].text
    assert PASSWORD not in seen.html


def test_signing_out_everywhere_ends_this_session_too(me: Visitor, app: Flask, login: str) -> None:
    other = Visitor(app)
    other.sign_in(login, PASSWORD)
    assert me.send(me.get(ACCOUNT).form("Sign out everywhere")).title == "Sign in"
    assert other.get(ACCOUNT).title == "Sign in"


def test_an_authenticator_is_set_up_used_and_switched_off(
    me: Visitor, app: Flask, world: World, login: str
) -> None:
    scan = me.send(me.get(f"{ACCOUNT}/authenticator").form("Set up an authenticator"))
    secret = scan.all("dl", class_="facts")[0].text.removeprefix("Secret ").replace(" ", "")
    assert re.fullmatch("[A-Z2-7]{16,}=*", secret)
    wrong = me.send(scan.form("Ask me for codes from now on"), code="000000")
    assert wrong.status == 422
    done = me.send(wrong.form("Ask me for codes from now on"), code=_code(world, secret))
    recovery = [one.text for one in done.all("code")]
    assert len(recovery) > 4
    stranger = Visitor(app)
    assert stranger.sign_in(login, PASSWORD).status == 401
    form = stranger.get("/console/sign-in").form("Sign in")
    assert stranger.send(form, login=login, password=PASSWORD, code=recovery[0]).status == 200
    off = me.send(me.get(f"{ACCOUNT}/authenticator").form("Switch codes off"))
    assert "switched off" in off.text
    assert Visitor(app).sign_in(login, PASSWORD).status == 200


def _code(world: World, secret: str) -> str:
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    now = int(world.app.store.real_now().timestamp())
    return TOTP(key, 6, SHA1(), 30, enforce_key_length=False).generate(now).decode()  # noqa: S303 - what authenticators use


def test_the_picture_of_a_secret_is_the_code_that_phones_read() -> None:
    side, path = qr_path("otpauth://totp/governor:ada?secret=JBSWY3DPEHPK3PXP")
    runs: list[tuple[Any, ...]] = [
        tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", path)
    ]
    dark = {(x + step, y) for x, y, length in runs for step in range(length)}
    # The three finders, with a quiet zone of four squares around everything.
    for left, top in ((4, 4), (side - 11, 4), (4, side - 11)):
        ring = {(left + x, top + y) for x in range(7) for y in range(7) if 0 in {x, y} or 6 in {x, y}}
        assert ring <= dark
    assert all(4 <= x < side - 4 and 4 <= y < side - 4 for x, y in dark)
