"""The command `governor`. Each subcommand is imported when it is used, so that `governor --help` answers at once."""

import importlib
from typing import Final, NamedTuple

import click


class Subcommand(NamedTuple):
    """Where a click command is found (``module:attribute``), and what the list of commands says of it."""

    found_at: str
    says: str


COMMANDS: Final[dict[str, Subcommand]] = {
    "up": Subcommand("governor.cli.up.command:up", "Everything on this machine, in one data folder."),
    "web": Subcommand("governor.cli.processes:web", "The web process: API, drop-in, console, webhooks."),
    "relay": Subcommand("governor.cli.processes:relay", "Rings the queue for what the database has decided."),
    "worker": Subcommand("governor.cli.processes:worker", "Dispatches and reconciles refunds."),
    "cron": Subcommand("governor.cli.processes:cron", "Periodic work: sweeps, expiries, reconciliation."),
    "sandbox": Subcommand("governor.cli.processes:sandbox", "A Stripe-shaped provider to try things on."),
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
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name].found_at} is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, subcommand.says) for name, subcommand in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Governed refunds for Stripe: approved means it fits, one intent is one refund, unknown is not failed."""


if __name__ == "__main__":
    main()
