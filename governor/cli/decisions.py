"""An approver's decision on a hold: bound to what was shown, and never made by a script that has seen nothing."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import quote

import click

from governor.cli.caller import ApiCaller
from governor.cli.options import Decorated
from governor.cli.saying import Said, shown

PATH = "/api/v1/holds"


def decision_options(command: Decorated) -> Decorated:
    """How a decision is said."""
    command = click.option("--reason", help="Why; kept with the decision.")(command)
    return click.option("--yes", is_flag=True, help="Decide on what stands now, without being asked.")(
        command
    )


def decide(api: ApiCaller, hold_id: str, choice: str, reason: str | None, *, yes: bool) -> Said:
    """Show what would be decided on, ask, and decide exactly that.

    Raises:
        click.UsageError: nobody can be asked and `--yes` was not said. GovernorError: what the API says instead.
    """
    hold = read_hold(api, hold_id)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("say --yes to decide without being asked")
        click.echo(shown(hold["shown"]).text, err=True)
        click.confirm(f"{choice} this?", abort=True, err=True)
    return send_decision(api, hold_id, choice, str(hold["digest"]), int(hold["version"]), reason)


def read_hold(api: ApiCaller, hold_id: str) -> dict[str, Any]:
    """A hold with its digest and version."""
    hold: dict[str, Any] = api.get(f"{PATH}/{quote(hold_id, safe='')}")
    return hold


def send_decision(
    api: ApiCaller, hold_id: str, choice: str, digest: str, version: int, reason: str | None
) -> Said:
    """The decision on what digest and version name; said twice it is one decision."""
    sent = {
        "decision": choice,
        "digest": digest,
        "version": version,
        **({"reason": reason} if reason else {}),
    }
    key = f"cli-{choice}-{hold_id}-{version}"
    return shown(api.post(f"{PATH}/{quote(hold_id, safe='')}/decisions", sent, key=key))
