"""`governor env freeze | unfreeze | freezes`: the emergency stop, on the host and without HTTP.

It needs the database and nothing else, so that it works while the web process is under attack or away.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from governor.api.freezes import shown_freeze
from governor.bootstrap import Application
from governor.cli.local import application, host_in
from governor.cli.options import WORD, Decorated, OneOf, data_option, environment_option
from governor.cli.saying import Command, Said, listed, shown
from governor.domain.limits import Scope
from governor.usecases.callers import Caller
from governor.usecases.freeze import FreezeDraft


def _options(command: Decorated) -> Decorated:
    for option in (
        click.option("--scope", type=OneOf(Scope), default=Scope.ENVIRONMENT.value, show_default=True, help="environment, credential (and all below it), payment or customer."),
        click.option("--value", type=WORD, help="Which credential, payment or customer."),
        click.option("--reason", required=True, help="Why; kept with the freeze."),
        click.option("--key-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Your key, when it shall be you; otherwise whoever operates this machine."),
        environment_option,
        data_option(),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("freeze", cls=Command)
@_options
def freeze(scope: Scope, value: str | None, reason: str, key_file: Path | None, environment: str | None, data: Path | None) -> Said:  # fmt: skip
    """Stop all provider writes of a scope, at once and alone."""
    with application(data) as app:
        caller = _caller(app, key_file, environment)
        done, _ = app.freeze_refunds.freeze(caller, _draft(scope, value, reason), _key())
        return shown(shown_freeze(done))


@click.command("unfreeze", cls=Command)
@_options
def unfreeze(scope: Scope, value: str | None, reason: str, key_file: Path | None, environment: str | None, data: Path | None) -> Said:  # fmt: skip
    """Let them go on: the first person proposes it, another one ends the freeze."""
    with application(data) as app:
        caller = _caller(app, key_file, environment)
        done, _ = app.freeze_refunds.unfreeze(caller, _draft(scope, value, reason), _key())
        first = "" if done.ended else "Proposed; it stands until another person says the same."
        return shown(shown_freeze(done), first=first)


@click.command("freezes", cls=Command)
@environment_option
@data_option()
def freezes(environment: str | None, data: Path | None) -> Said:
    """What is frozen now."""
    with application(data) as app:
        rows = [shown_freeze(one) for one in app.queries.freezes(host_in(app, environment))]
    return listed(rows, ("id", "scope", "value", "frozen", "proposed"), "nothing is frozen")


def _caller(app: Application, key_file: Path | None, environment: str | None) -> Caller:
    """The person behind the key, or whoever operates the machine."""
    if key_file is None:
        return host_in(app, environment)
    caller = app.authenticate(key_file.read_text(encoding="ascii").strip())
    if environment not in {None, caller.environment}:
        raise click.UsageError(f"the key is of environment {caller.environment}, not of {environment}")
    return caller


def _draft(scope: Scope, value: str | None, reason: str) -> FreezeDraft:
    if not reason.strip():
        raise click.UsageError("say why")
    return FreezeDraft(scope, value, reason)


def _key() -> str:
    """Each command is a deed of its own."""
    return f"cli-{secrets.token_hex(16)}"
