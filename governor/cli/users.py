"""`governor user`: people who sign in, their accounts and what they may do, kept by whoever operates the host."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from governor.api.shown_settings import shown_credential
from governor.bootstrap import Application
from governor.cli.keys import PerCurrency
from governor.cli.local import application, host_in
from governor.cli.options import WORD, Decorated, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.people import Person
from governor.usecases.grant_membership import MembershipDraft

_COLUMNS = "id login name password codes disabled_at created_at".split()


@click.group("user", cls=Group)
def user() -> None:
    """People who sign in to the console. A login is also how keys name who answers for them (--owner)."""


def _password_option(command: Decorated) -> Decorated:
    return click.option("--password-file", type=click.Path(path_type=Path, allow_dash=True), help="A file whose first line is the password (- is standard input); asked for on a terminal when not given.")(command)  # fmt: skip


def _password(file: Path | None) -> str:
    """A password, never from the command line: everybody could read it there.

    Raises:
        click.UsageError: there is no terminal to ask on, or the file cannot be read.
    """
    if file is None:
        if not sys.stdin.isatty():
            raise click.UsageError(
                "a password is needed: in a file named by --password-file (- is standard input)"
            )
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    try:
        line = (
            sys.stdin.readline() if str(file) == "-" else file.read_text(encoding="utf-8").partition("\n")[0]
        )
    except (OSError, UnicodeDecodeError):
        raise click.UsageError("the file named by --password-file cannot be read") from None
    return line.rstrip("\r\n")


@user.command("create")
@click.argument("login")
@click.option("--name", type=WORD, required=True, help="As people know them.")
@click.option("--no-password", is_flag=True, help="They sign in elsewhere (OpenID Connect).")
@_password_option
@data_option()
def create(login: str, name: str, no_password: bool, password_file: Path | None, data: Path | None) -> Said:
    """A new person, who may do nothing until something is granted."""
    password = None if no_password else _password(password_file)
    with application(data) as app:
        return shown(_shown(app.people.manage.create(login, name, password)))


@user.command("list")
@data_option()
def list_(data: Path | None) -> Said:
    """Everybody, by login."""
    with application(data) as app:
        return listed([_shown(one) for one in app.people.manage.everybody()], _COLUMNS, "nobody yet")


@user.command("show")
@click.argument("login")
@data_option()
def show(login: str, data: Path | None) -> Said:
    """A person with what they may do in each environment, where they are signed in, and how they last tried to."""
    with application(data) as app:
        person = app.people.manage.named(login)
        more = {
            "identities": [" ".join(one) for one in app.people.manage.identities(person)],
            "memberships": [shown_credential(one) for one in app.people.manage.memberships(person)],
            "sessions": [
                {**vars(one), "how": one.how.value, **_spelled(vars(one))}
                for one in app.people.sessions.all_of(person)
            ],
            "sign_ins": [
                {**vars(one), "how": one.how.value, "at": one.at.isoformat()}
                for one in app.people.account.sign_ins(person)
            ],
        }
    return shown({**_shown(person), **more})


@user.command("rename")
@click.argument("login")
@click.option("--name", type=WORD, required=True)
@data_option()
def rename(login: str, name: str, data: Path | None) -> Said:
    """Another name for people to read; the login stays, because the past names it."""
    return _changed(data, lambda app: app.people.manage.rename(login, name))


@user.command("password")
@click.argument("login")
@_password_option
@data_option()
def password(login: str, password_file: Path | None, data: Path | None) -> Said:
    """Another password; they are signed out everywhere."""
    typed = _password(password_file)
    return _changed(data, lambda app: app.people.manage.set_password(login, typed))


@user.command("remove-totp")
@click.argument("login")
@data_option()
def remove_totp(login: str, data: Path | None) -> Said:
    """For who has lost their authenticator: no one-time code is asked for any more."""
    return _changed(data, lambda app: app.people.manage.remove_totp(login))


@user.command("link")
@click.argument("login")
@click.option("--subject", required=True, help="What the identity provider calls them (`sub`): never a name or an address.")  # fmt: skip
@data_option()
def link(login: str, subject: str, data: Path | None) -> Said:
    """They may sign in at the identity provider, as whom it calls by this subject."""

    def linked(app: Application) -> Person:
        if app.settings.oidc_issuer is None:
            raise click.UsageError("no identity provider is set (GOVERNOR_OIDC_ISSUER)")
        return app.people.manage.link(login, app.settings.oidc_issuer, subject)

    return _changed(data, linked)


@user.command("unlink")
@click.argument("login")
@data_option()
def unlink(login: str, data: Path | None) -> Said:
    """They sign in with a password only."""
    return _changed(data, lambda app: app.people.manage.unlink(login))


@user.command("disable")
@click.argument("login")
@data_option()
def disable(login: str, data: Path | None) -> Said:
    """At once they are signed out, may do nothing anywhere, and what they queued is canceled."""
    return _changed(data, lambda app: app.people.manage.disable(login))


@user.command("enable")
@click.argument("login")
@data_option()
def enable(login: str, data: Path | None) -> Said:
    """They may sign in again, and do what they were granted."""
    return _changed(data, lambda app: app.people.manage.enable(login))


@user.command("sign-out")
@click.argument("login")
@data_option()
def sign_out(login: str, data: Path | None) -> Said:
    """End all their sessions; they may sign in again."""

    def end(app: Application) -> Person:
        person = app.people.manage.named(login)
        app.people.sessions.end_all(person)
        return person

    return _changed(data, end)


@user.command("grant")
@click.argument("login")
@click.option("--role", type=OneOf(Role), required=True)
@click.option("--expires-in-days", type=Whole(1, 3660))
@click.option("--approve-up-to", type=PerCurrency(), multiple=True, metavar="CURRENCY=AMOUNT", help="What an approver may approve at once; may repeat. Any amount when not given.")  # fmt: skip
@environment_option
@data_option()
def grant(login: str, role: Role, expires_in_days: int | None, approve_up_to: tuple[tuple[str, int], ...], environment: str | None, data: Path | None) -> Said:  # fmt: skip
    """A role for a person in one environment."""
    if len(dict(approve_up_to)) < len(approve_up_to):
        raise click.UsageError("--approve-up-to names a currency twice")
    with application(data) as app:
        caller = host_in(app, environment)
        expires_at = app.store.now() + timedelta(days=expires_in_days) if expires_in_days else None
        draft = MembershipDraft(login, role, dict(approve_up_to) or None, expires_at)
        granted, _ = app.people.grant(caller, draft, f"cli-{secrets.token_hex(16)}")
        return shown(shown_credential(granted))


@user.command("revoke")
@click.argument("login")
@click.option("--role", type=OneOf(Role), required=True)
@click.option("--reason", help="Why; kept with it.")
@environment_option
@data_option()
def revoke(login: str, role: Role, reason: str | None, environment: str | None, data: Path | None) -> Said:
    """Take a role back; what they queued with it is canceled."""
    with application(data) as app:
        caller = host_in(app, environment)
        for one in app.people.manage.memberships(app.people.manage.named(login)):
            if (one.environment, one.role, one.revoked_at) == (caller.environment, role, None):
                return shown(shown_credential(app.manage_credentials.revoke(caller, one.id, reason)))
    raise NotFound("membership_not_found", f"{login} is no {role} there.")


def _changed(data: Path | None, change: Callable[[Application], Person]) -> Said:
    with application(data) as app:
        return shown(_shown(change(app)))


def _shown(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "login": person.login,
        "name": person.name,
        "password": person.password_set_at is not None,
        "codes": person.codes_since is not None,
        **_spelled(vars(person)),
    }


def _spelled(values: dict[str, Any]) -> dict[str, str | None]:
    """The times among them."""
    return {name: at.isoformat() if at else None for name, at in values.items() if name.endswith("_at")}
