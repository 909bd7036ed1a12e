"""What people keep in order themselves: their password, their authenticator, where they are signed in."""

from __future__ import annotations

import segno
from flask import Response

from governor.console.cookies import forget_token
from governor.console.fields import Field, Form
from governor.console.page import EVERYONE, Page
from governor.console.rendering import onward
from governor.console.sign_in.door_pages import SIGN_IN
from governor.console.visit import Visit
from governor.domain.errors import Refused

NOTHING = Form(())
PASSWORD = Form(
    (
        Field(
            "current", "Current password", kind="password", attributes={"autocomplete": "current-password"}
        ),
        Field(
            "password",
            "New password",
            hint="12 characters or more. Long is what counts: a sentence will do.",
            kind="password",
            attributes={"autocomplete": "new-password"},
        ),
    )
)
CODE = Form(
    (
        Field(
            "code",
            "The code it shows now",
            attributes={"autocomplete": "one-time-code", "inputmode": "numeric"},
            at_most=20,
        ),
    )
)


def _account(visit: Visit) -> Response:
    people, person = visit.use.people, visit.signed_in.person
    return visit.show(
        "account/account.html",
        person=person,
        sessions=people.sessions.all_of(person),
        here=visit.signed_in.session.id,
        sign_ins=people.account.sign_ins(person),
        form=visit.form(NOTHING),
    )


def _sign_out_everywhere(visit: Visit) -> Response:
    visit.form(NOTHING).read()
    visit.use.people.sessions.end_all(visit.signed_in.person)
    answer = onward(SIGN_IN)
    forget_token(answer, visit.sent)
    return answer


def _password(visit: Visit) -> Response:
    return visit.show("account/password.html", form=visit.form())


def _change_password(visit: Visit) -> Response:
    form = visit.form()
    try:
        values = form.read()
        visit.use.people.account.change_password(visit.token, values["current"], values["password"])
    except Refused as refusal:
        return visit.show_again("account/password.html", form, refusal)
    return visit.go("/account", "Your password was changed, and you are signed out everywhere else.")


def _authenticator(visit: Visit) -> Response:
    return visit.show("account/authenticator.html", person=visit.signed_in.person, form=visit.form())


def _begin(visit: Visit) -> Response:
    """The secret is shown once, in this answer; whoever loads it again gets a new one."""
    visit.form(NOTHING).read()
    address = visit.use.people.account.begin_totp(visit.token)
    return visit.show(
        "account/scan.html",
        picture=qr_path(address),
        secret=_secret_in(address),
        form=visit.form_beside(CODE),
    )


def _confirm(visit: Visit) -> Response:
    form = visit.form()
    try:
        codes = visit.use.people.account.confirm_totp(visit.token, form.read()["code"])
    except Refused as refusal:
        return visit.show_again("account/scan.html", form, refusal, picture=None, secret=None)
    return visit.show("account/recovery.html", codes=codes)


def _remove(visit: Visit) -> Response:
    visit.form(NOTHING).read()
    visit.use.people.account.remove_totp(visit.token)
    return visit.go("/account", "Your authenticator is switched off: only your password is asked for.")


def qr_path(text: str) -> tuple[int, str]:
    """A QR code as a side length and an SVG path of its dark squares, one stroke a run; with its quiet zone of four."""
    rows = [list(row) for row in segno.make(text, error="m").matrix_iter(border=4)]
    runs = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            length = next((n for n, dark in enumerate(row[x:]) if dark != row[x]), len(row) - x)
            if row[x]:
                runs.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return len(rows), "".join(runs)


def _secret_in(address: str) -> str:
    """The secret in groups of four, for whoever types it."""
    secret = address.partition("secret=")[2].partition("&")[0]
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


PAGES = (
    Page("GET", "/account", _account, EVERYONE, "Your account"),
    Page("POST", "/account/sign-out-everywhere", _sign_out_everywhere, EVERYONE, "Sign out everywhere"),
    Page("GET", "/account/password", _password, EVERYONE, "Change your password", form=PASSWORD),
    Page("POST", "/account/password", _change_password, EVERYONE, "Change your password", form=PASSWORD),
    Page("GET", "/account/authenticator", _authenticator, EVERYONE, "One-time codes", form=CODE),
    Page("POST", "/account/authenticator", _confirm, EVERYONE, "One-time codes", form=CODE),
    Page("POST", "/account/authenticator/new", _begin, EVERYONE, "One-time codes"),
    Page("POST", "/account/authenticator/off", _remove, EVERYONE, "One-time codes"),
)
