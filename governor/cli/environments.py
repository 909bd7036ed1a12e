"""`governor env`: environments, founded and changed by whoever operates the host."""

from __future__ import annotations

from pathlib import Path

import click

from governor.api.shown_settings import shown_environment
from governor.cli.folders import chosen_folder, known_addresses, named_folder
from governor.cli.freezes import freeze, freezes, unfreeze
from governor.cli.local import application, host_in
from governor.cli.options import ENVIRONMENT_NAME, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.cli.up.webhooks import order_webhook
from governor.domain.approval import DEFAULT_EXPIRY
from governor.domain.environments import Mode
from governor.usecases.change_environment import TEST_RATE_PER_SECOND, EnvironmentDraft

# The database's own bounds (0001_foundation.sql).
_RATE, _APPROVAL = Whole(1, 1000), Whole(60, 2_592_000)


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
@data_option()
def create(name: str, mode: Mode, rate_per_second: int, approval_seconds: int, data: Path | None) -> Said:
    """Found an environment, bound to the account behind the provider key.

    Beside a `governor up`, the sandbox brings its events there from now on.
    """
    with application(data) as app:
        founded = app.change_environment.found(
            name, EnvironmentDraft(mode, rate_per_second, approval_seconds)
        )
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
@data_option()
def set_(
    environment: str | None,
    mode: Mode | None,
    rate_per_second: int | None,
    approval_seconds: int | None,
    data: Path | None,
) -> Said:
    """Change an environment's settings; what is not named stays."""
    if mode is None and rate_per_second is None and approval_seconds is None:
        raise click.UsageError("say what to change")
    with application(data) as app:
        caller = host_in(app, environment)
        before = app.queries.environment(caller)
        draft = EnvironmentDraft(
            mode or before.mode,
            rate_per_second or before.rate_per_second,
            approval_seconds or before.approval_seconds,
        )
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
