"""One process of governor in the foreground: the command becomes the program, so signals and exit status are its own."""

import os
import sys

import click

from governor.cli import programs

# Options this command does not know belong to the program it becomes.
_PASS_ON = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


def _become(argv: tuple[str, ...]) -> None:
    """Replaces this process; on success it does not return."""
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - our own program, no shell wanted


@click.command(context_settings=_PASS_ON)
@click.option(
    "--bind", default=f"{programs.LOOPBACK}:8000", show_default=True, help="Address to listen on, host:port."
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def web(bind: str, options: tuple[str, ...]) -> None:
    """The web process. Further OPTIONS are gunicorn's; GOVERNOR_WEB_WORKERS and GOVERNOR_WEB_THREADS size it."""
    *gunicorn, application = programs.web(bind)
    _become((*gunicorn, *options, application))


@click.command()
def relay() -> None:
    """Rings the queue for every committed outbox row."""
    _become(programs.background("relay"))


@click.command()
def worker() -> None:
    """Dispatches and reconciles refunds; start as many as you like."""
    _become(programs.background("worker"))


@click.command()
def cron() -> None:
    """Periodic work, by whichever of these processes holds the lease."""
    _become(programs.background("cron"))


@click.command(context_settings=_PASS_ON | {"help_option_names": []})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def sandbox(options: tuple[str, ...]) -> None:
    """The provider twin; its own --help lists its OPTIONS."""
    _become((sys.executable, "-m", "adapters.sandbox", *options))
