"""An approver's decision on a hold: bound to what was shown, and never made by a script that has seen nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import click

from governor.cli.caller import ApiCaller
from governor.cli.options import Decorated
from governor.cli.saying import Said, shown

PATH = "/api/v1/holds"


@dataclass(frozen=True)
class Decision:
    """What an approver says; `amount` in minor units where less is approved."""

    choice: str
    reason: str | None
    amount: int | None = None


def decision_options(command: Decorated) -> Decorated:
    """How a decision is said."""
    command = click.option("--reason", help="Why; kept with the decision. A rejection needs one.")(command)
    return click.option("--yes", is_flag=True, help="Decide on what stands now, without being asked.")(
        command
    )


def decide(api: ApiCaller, hold_id: str, decision: Decision, *, yes: bool) -> Said:
    """Show what would be decided on, ask, and decide exactly that.

    Raises:
        click.UsageError: nobody can be asked and `--yes` was not said. GovernorError: what the API says instead.
    """
    hold = read_hold(api, hold_id)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("say --yes to decide without being asked")
        click.echo(shown(hold["shown"]).text, err=True)
        click.confirm(f"{decision.choice} this?", abort=True, err=True)
    return send_decision(api, hold_id, decision, str(hold["digest"]), int(hold["version"]))


def read_hold(api: ApiCaller, hold_id: str) -> dict[str, Any]:
    """A hold with its digest and version."""
    hold: dict[str, Any] = api.get(f"{PATH}/{quote(hold_id, safe='')}")
    return hold


def send_decision(api: ApiCaller, hold_id: str, decision: Decision, digest: str, version: int) -> Said:
    """The decision on what digest and version name; said twice it is one decision."""
    words = {"reason": decision.reason, "amount": decision.amount}
    sent = {
        "decision": decision.choice,
        "digest": digest,
        "version": version,
        **{name: value for name, value in words.items() if value is not None},
    }
    key = f"cli-{decision.choice}-{hold_id}-{version}"
    return shown(api.post(f"{PATH}/{quote(hold_id, safe='')}/decisions", sent, key=key))
