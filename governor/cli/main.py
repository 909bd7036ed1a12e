"""The command `governor`. Each subcommand is imported when it is used, so that `governor --help` answers at once."""

import importlib
from pathlib import Path
from typing import Final, NamedTuple

import click

from governor.loading import loading


class Subcommand(NamedTuple):
    """Where a click command is found (``module:attribute``), and what the list of commands says of it."""

    found_at: str
    says: str


COMMANDS: Final[dict[str, Subcommand]] = {
    "up": Subcommand("governor.cli.up.command:up", "Everything on this machine, in one data folder."),
    "web": Subcommand("governor.cli.processes:web", "The web process: the API."),
    "relay": Subcommand("governor.cli.processes:relay", "Rings the queue for what the database has decided."),
    "worker": Subcommand("governor.cli.processes:worker", "Dispatches and reconciles refunds."),
    "runner": Subcommand("governor.cli.processes:runner", "Carries out runs: work that may take long."),
    "cron": Subcommand("governor.cli.processes:cron", "Periodic work: sweeps, expiries, reconciliation."),
    "messenger": Subcommand(
        "governor.cli.processes:messenger", "Tells endpoints what happened: webhooks, Slack and e-mail."
    ),
    "metrics": Subcommand(
        "governor.cli.processes:metrics", "Shows figures to Prometheus, to this machine alone."
    ),
    "sandbox": Subcommand("governor.cli.processes:sandbox", "A Stripe-shaped provider to try things on."),
    "demo": Subcommand(
        "governor.cli.demo:demo", "The story of two agents and one headroom, played for real."
    ),
    "env": Subcommand(
        "governor.cli.environments:env", "Environments: create, list, show, set, freeze, unfreeze."
    ),
    "key": Subcommand("governor.cli.keys:key", "Keys: create, list, rotate, revoke."),
    "user": Subcommand(
        "governor.cli.users:user", "People: accounts, passwords, what they may do, signing them out."
    ),
    "limit": Subcommand("governor.cli.limits:limit", "Limits: create, list, show, set, archive, counters."),
    "policy": Subcommand(
        "governor.cli.policy:policy", "Approval rules: create, list, show, set, archive, history, simulate."
    ),
    "refund": Subcommand("governor.cli.refunds:refund", "Refund requests, through the API with a key."),
    "hold": Subcommand(
        "governor.cli.holds:hold", "Holds that wait for approval, through the API with a key."
    ),
    "unknown": Subcommand(
        "governor.cli.unknown:unknown", "Refund requests in doubt: look, reconcile, resolve by two people."
    ),
    "endpoint": Subcommand(
        "governor.cli.endpoints:endpoint",
        "Endpoints: list, create, show, rotate, enable, test, delete, deliveries, replay.",
    ),
    "db": Subcommand("governor.cli.database:db", "The schema: upgrade, status, downgrade."),
    "reconcile": Subcommand(
        "governor.cli.reconcile:reconcile",
        "Holds what our limits say against what the provider says happened.",
    ),
    "audit": Subcommand("governor.cli.audit:audit", "The audit trail: list, verify, export, anchor, keygen."),
    "run": Subcommand("governor.cli.runs:run", "Long work: begin, list, show, cancel, result."),
    "fsck": Subcommand("governor.cli.books:fsck", "Checks that everything that must add up adds up."),
    "doctor": Subcommand("governor.cli.doctor:doctor", "Checks what governor runs on."),
    "docs": Subcommand("governor.cli.docs.command:docs", "Draws the documentation's tables from the code."),
    "chaos": Subcommand(
        "governor.chaos.command:chaos", "A storm of load, faults and kills, then the verdict."
    ),
    "sim": Subcommand("governor.sim.command:sim", "Searches for an order of events that breaks a promise."),
    "bench": Subcommand("governor.bench.command:bench", "Measures governor against its yardsticks."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every name, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, imported now; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].found_at.split(":")
        with loading():
            command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name].found_at} is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, subcommand.says) for name, subcommand in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the `governor up` to work on."
)
def main(data: Path | None) -> None:
    """Governed refunds for Stripe: approved means it fits, one intent is one refund, unknown is not failed.

    Exit codes: 0 done, 1 refused, denied or broken, 2 not understood, 3 another `governor up` works there,
    4 not available: nothing was decided. Commands answer in JSON with --json.
    """


if __name__ == "__main__":
    main()
