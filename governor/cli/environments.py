"""`governor env`: environments, founded and changed by whoever operates the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from governor.api.shown_settings import shown_environment
from governor.cli.folders import chosen_folder, known_addresses, named_folder
from governor.cli.freezes import freeze, freezes, unfreeze
from governor.cli.local import application, host_in
from governor.cli.options import ENVIRONMENT_NAME, Bounds, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.cli.up.webhooks import order_webhook
from governor.domain.approval import DEFAULT_EXPIRY
from governor.domain.environments import (
    LEAST_APPROVAL_SECONDS,
    LEAST_RATE,
    MOST_APPROVAL_SECONDS,
    MOST_RATE,
    MOST_UNDO_SECONDS,
    UNDO_SECONDS,
    Mode,
)
from governor.domain.late_limits import LateLimits
from governor.usecases.change_environment import TEST_RATE_PER_SECOND, EnvironmentDraft

_RATE, _APPROVAL = Whole(LEAST_RATE, MOST_RATE), Whole(LEAST_APPROVAL_SECONDS, MOST_APPROVAL_SECONDS)
_UNDO = Whole(0, MOST_UNDO_SECONDS)


@click.group("env", cls=Group)
def env() -> None:
    """Environments: isolated worlds with one provider account in test mode each."""


for _command in (freeze, unfreeze, freezes):
    env.add_command(_command)


@env.command("create")
@click.argument("name", type=ENVIRONMENT_NAME)
@click.option("--mode", type=OneOf(Mode), default=Mode.ENFORCE.value, show_default=True)
@click.option("--rate-per-second", type=_RATE, default=TEST_RATE_PER_SECOND, show_default=True, help="Provider calls a second.")  # fmt: skip
@click.option("--approval-seconds", type=_APPROVAL, default=int(DEFAULT_EXPIRY.total_seconds()), show_default=True, help="How long a hold waits for its approver.")  # fmt: skip
@click.option("--late-limits", type=OneOf(LateLimits), default=LateLimits.HOLD.value, show_default=True, help="What becomes of a request that a later limit has no room for.")  # fmt: skip
@click.option(
    "--raises-need-two/--raises-need-one", default=False, help="Whether a raise waits for another person."
)
@click.option(
    "--reasons-required/--reasons-optional", default=False, help="Whether whoever changes a limit says why."
)
@click.option("--prove-above", type=Bounds(), default="never", show_default=True, help="Above how much an approval in the console takes a fresh proof of who it is: usd=50000,eur=40000.")  # fmt: skip
@click.option("--type-above", type=Bounds(), default="never", show_default=True, help="Above how much the amount has to be typed there.")  # fmt: skip
@click.option("--undo-seconds", type=_UNDO, default=UNDO_SECONDS, show_default=True, help="For how long an approval in the console can be undone before it is sent.")  # fmt: skip
@data_option()
def create(data: Path | None, name: str, **asked: Any) -> Said:  # noqa: ANN401  click gives each option its type
    """Found an environment, bound to the account behind the provider key.

    Beside a `governor up`, the sandbox brings its events there from now on.
    """
    with application(data) as app:
        founded = app.change_environment.found(name, EnvironmentDraft(**asked))
    if chosen_folder(data) is not None:
        addresses = known_addresses(data)
        refusal = order_webhook(named_folder(data), addresses.sandbox_url, addresses.url, name)
        if refusal is not None:
            click.echo(f"the sandbox brings no webhooks here: {refusal}", err=True)
    return shown(shown_environment(founded))


@env.command("list")
@data_option()
def list_(data: Path | None) -> Said:
    """All environments."""
    with application(data) as app, app.store.reading() as reads:
        rows = [shown_environment(one) for one in reads.environments()]
    return listed(
        rows,
        ("name", "account", "mode", "frozen_reason", "fenced_at", "halted_reason", "paused_reason"),
        "none yet",
    )


@env.command("show")
@environment_option
@data_option()
def show(environment: str | None, data: Path | None) -> Said:
    """One environment."""
    with application(data) as app:
        return shown(shown_environment(app.queries.environment(host_in(app, environment))))


@env.command("set")
@environment_option
@click.option("--mode", type=OneOf(Mode))
@click.option("--rate-per-second", type=_RATE, help="Provider calls a second.")
@click.option("--approval-seconds", type=_APPROVAL, help="How long a hold waits for its approver.")
@click.option("--late-limits", type=OneOf(LateLimits), help="What becomes of a request that a later limit has no room for.")  # fmt: skip
@click.option(
    "--raises-need-two/--raises-need-one", default=None, help="Whether a raise waits for another person."
)
@click.option(
    "--reasons-required/--reasons-optional", default=None, help="Whether whoever changes a limit says why."
)
@click.option("--prove-above", type=Bounds(), help="Above how much an approval in the console takes a fresh proof of who it is: usd=50000,eur=40000, or never.")  # fmt: skip
@click.option("--type-above", type=Bounds(), help="Above how much the amount has to be typed there.")  # fmt: skip
@click.option("--undo-seconds", type=_UNDO, help="For how long an approval in the console can be undone before it is sent.")  # fmt: skip
@data_option()
def set_(environment: str | None, data: Path | None, **asked: Any) -> Said:  # noqa: ANN401  click gives each option its type
    """Change an environment's settings; what is not named stays."""
    named = {name: value for name, value in asked.items() if value is not None}
    if not named:
        raise click.UsageError("say what to change")
    with application(data) as app:
        caller = host_in(app, environment)
        before = app.queries.environment(caller)
        kept = {name: getattr(before, name) for name in EnvironmentDraft.__dataclass_fields__}
        draft = EnvironmentDraft(**kept | named)
        return shown(shown_environment(app.change_environment(caller, draft, before.revision)))


@env.command("acknowledge")
@environment_option
@click.option("--reason", required=True, help="What you found, and why provider writes may go on.")
@data_option()
def acknowledge(environment: str | None, reason: str, data: Path | None) -> Said:
    """Let provider writes go on after they were fenced, halted or paused. Holds in doubt stay."""
    if not reason.strip():
        raise click.UsageError("say why")
    with application(data) as app:
        caller = host_in(app, environment)
        return shown(shown_environment(app.change_environment.acknowledge(caller, reason)))
