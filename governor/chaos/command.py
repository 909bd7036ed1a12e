"""The command `governor chaos`."""

from __future__ import annotations

import secrets
import signal
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from types import FrameType

import click

from adapters.embedded.binaries import BinariesNotFoundError
from adapters.embedded.server_process import ServerDidNotStartError
from governor.chaos.stage import Place
from governor.chaos.storm import Report, is_right, run
from governor.chaos.waiting import NotAtWorkError
from governor.cli.saying import REFUSED, Command, Said
from governor.domain.errors import Unavailable

PAYMENTS_AT_LEAST = 40
PAYMENTS_A_MINUTE = 40


@click.command("chaos", cls=Command)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0.05, max=24 * 60),
    default=1.0,
    show_default=True,
    help="How long the storm lasts, in minutes and parts of one; setting up and recovering come on top.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Of the plan and the clients; a fresh one by default."
)
@click.option(
    "--database-url", help="A PostgreSQL on which to make a database, dropped at the end; else an own server."
)
@click.option(
    "--redis-url", help="An empty database of a Redis or Valkey, emptied again and again; else an own server."
)
@click.option(
    "--logs",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for everything the servers and programs write; by default it is gone afterwards.",
)
def chaos(
    minutes: float, seed: int | None, database_url: str | None, redis_url: str | None, logs: Path | None
) -> Said:
    """A storm on this machine: load, provider faults, kills and pauses of real processes; then the books are compared.

    Exit status: 0 when nothing acknowledged was lost, nothing executed twice, nothing left unexplained or unresolved,
    and the books are clean, and a storm of ten minutes has met everything that it is made for; 1 otherwise; 2 when an option cannot be used. Servers that a URL names are never hit themselves.
    """
    chosen = secrets.randbelow(2**31) if seed is None else seed
    # The first thing to know of a storm is how to have it again.
    tell(f"seed {chosen}")
    signal.signal(signal.SIGTERM, _stop)
    with _folder(logs) as name:
        folder = Path(name)
        payments = PAYMENTS_AT_LEAST + round(PAYMENTS_A_MINUTE * minutes)
        place = Place(folder, database_url, redis_url, payments)
        try:
            report = run(place, seconds=60 * minutes, seed=chosen, tell=tell)
        except (NotAtWorkError, ServerDidNotStartError, BinariesNotFoundError, OSError) as failure:
            raise Unavailable("storm_without_a_stage", str(failure)) from failure
    return Said(dict(report), _for_people(report), 0 if is_right(report) else REFUSED)


def tell(words: str) -> None:
    """One line to whoever waits, with the time of day (UTC); the report goes to standard output."""
    click.echo(f"{time.strftime('%H:%M:%S', time.gmtime())} {words}", err=True)


def _folder(logs: Path | None) -> tempfile.TemporaryDirectory[str] | nullcontext[str]:
    if logs is None:
        return tempfile.TemporaryDirectory(prefix="governor-chaos-")
    logs.mkdir(parents=True, exist_ok=True)
    if any(logs.iterdir()):
        raise click.UsageError("--logs: that folder is not empty")
    return nullcontext(str(logs))


def _stop(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends a storm as Ctrl-C does: everything that was started is stopped on the way out."""
    raise KeyboardInterrupt


def _for_people(report: Report) -> str:
    lines = [*report["findings"]]
    for name in ("blows", "kinds", "answers", "marks"):
        counts = report[name]
        lines += [f"{name}:", *(f"  {count:6} {what}" for what, count in counts.items())]
    figures = [f"{name} {value}" for name, value in report.items() if isinstance(value, int | str)]
    return "\n".join([*lines, f"{report['seconds']:g} s of storm: {', '.join(figures)}"])
