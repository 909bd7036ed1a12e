"""`governor limit confirm|withdraw|history`: what was said of a limit, for whoever operates the host."""

from __future__ import annotations

from pathlib import Path

import click

from adapters.ids import TypeIds
from governor.api.shown_limits import shown_change, shown_limit
from governor.bootstrap import Application
from governor.cli.local import application, host_in
from governor.cli.options import data_option, environment_option
from governor.cli.saying import Command, Said, listed, shown
from governor.domain.limits import Limit
from governor.usecases.callers import Caller

_REASON = click.option("--reason", default="", help="Why; kept in the limit's history.")


def standing(app: Application, caller: Caller, limit: Limit) -> Said:
    """A limit as it stands, with what is pending."""
    return shown(shown_limit(limit, app.limit_history.pending_of(caller, limit)))


@click.command("confirm", cls=Command)
@click.argument("limit_id")
@click.argument("change_id")
@_REASON
@environment_option
@data_option()
def confirm(limit_id: str, change_id: str, reason: str, environment: str | None, data: Path | None) -> Said:
    """The host says what another person has proposed: from now on, or from its own time, the change counts."""
    with application(data) as app:
        caller = host_in(app, environment)
        key = TypeIds().new("cli")
        return standing(
            app, caller, app.confirm_limit_change.confirm(caller, limit_id, change_id, reason, key)[0]
        )


@click.command("withdraw", cls=Command)
@click.argument("limit_id")
@click.argument("change_id")
@_REASON
@environment_option
@data_option()
def withdraw(limit_id: str, change_id: str, reason: str, environment: str | None, data: Path | None) -> Said:
    """Take back a proposal or what is to come, or end before its time what is for a time."""
    with application(data) as app:
        caller = host_in(app, environment)
        key = TypeIds().new("cli")
        return standing(
            app, caller, app.confirm_limit_change.withdraw(caller, limit_id, change_id, reason, key)[0]
        )


@click.command("history", cls=Command)
@click.argument("limit_id")
@environment_option
@data_option()
def history(limit_id: str, environment: str | None, data: Path | None) -> Said:
    """Everything that was said of what a limit allows, newest first."""
    with application(data) as app:
        found = app.limit_history.changes(host_in(app, environment), limit_id)
    columns = ("id", "standing", "cap", "approval_above", "effective_at", "until", "proposed", "confirmed")
    return listed([shown_change(one) for one in found], columns, "nothing was said")
