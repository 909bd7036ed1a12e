"""One process of governor in the foreground: the command becomes the program, so signals and exit status are its own."""

import os
import sys
from pathlib import Path

import click

from governor.cli import programs
from governor.cli.options import data_option
from governor.metrics.address import LISTEN

# Options this command does not know belong to the program it becomes.
_PASS_ON = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


def _become_governed(argv: tuple[str, ...], data: Path | None) -> None:
    """Becomes a process that works on the variables GOVERNOR_*, or beside the `governor up` of a folder.

    What is missing is said here, in one line, before the process is another.
    """
    from governor.cli.folders import chosen_folder, known_addresses, named_folder  # noqa: PLC0415  only here
    from governor.cli.local import from_variables  # noqa: PLC0415  heavy, and only here
    from governor.cli.up.stack import settings_on  # noqa: PLC0415  only here

    if chosen_folder(data) is not None:
        os.environ.update(settings_on(named_folder(data), known_addresses(data)))
    from_variables()
    _become(argv)


def _become(argv: tuple[str, ...]) -> None:
    """Replaces this process; on success it does not return."""
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - our own program, no shell wanted


@click.command(context_settings=_PASS_ON)
@click.option(
    "--bind", default=f"{programs.LOOPBACK}:8000", show_default=True, help="Address to listen on, host:port."
)
@data_option()
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def web(bind: str, data: Path | None, options: tuple[str, ...]) -> None:
    """The web process. Further OPTIONS are gunicorn's; GOVERNOR_WEB_WORKERS and GOVERNOR_WEB_THREADS size it."""
    *gunicorn, application = programs.web(bind)
    _become_governed((*gunicorn, *options, application), data)


@click.command()
@data_option()
def relay(data: Path | None) -> None:
    """Rings the queue for every committed outbox row."""
    _become_governed(programs.background("relay"), data)


@click.command()
@data_option()
def worker(data: Path | None) -> None:
    """Dispatches and reconciles refunds; start as many as you like."""
    _become_governed(programs.background("worker"), data)


@click.command()
@data_option()
def runner(data: Path | None) -> None:
    """Carries out runs, which nobody waits for: reconciling, exporting, verifying. Each of them one at a time."""
    _become_governed(programs.background("runner"), data)


@click.command()
@data_option()
def cron(data: Path | None) -> None:
    """Periodic work, by whichever of these processes holds the lease."""
    _become_governed(programs.background("cron"), data)


@click.command()
@data_option()
def messenger(data: Path | None) -> None:
    """Tells endpoints what happened: webhooks, Slack and e-mail."""
    _become_governed(programs.background("messenger"), data)


@click.command()
@click.option(
    "--bind",
    default=LISTEN,
    show_default=True,
    envvar="GOVERNOR_METRICS_BIND",
    help="Address to listen on, host:port.",
)
@data_option()
def metrics(bind: str, data: Path | None) -> None:
    """Shows figures to Prometheus at /metrics, to whoever reaches the address: give it none that strangers reach."""
    os.environ["GOVERNOR_METRICS_BIND"] = bind
    _become_governed(programs.background("metrics"), data)


@click.command(context_settings=_PASS_ON | {"help_option_names": []})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def sandbox(options: tuple[str, ...]) -> None:
    """The provider twin; its own --help lists its OPTIONS."""
    _become((sys.executable, "-m", "adapters.sandbox", *options))
