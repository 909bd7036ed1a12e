"""The command `governor up`."""

import signal
import socket
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Final

import click

from adapters.embedded.binaries import BinariesNotFoundError
from adapters.embedded.folder_lock import FolderInUseError
from adapters.embedded.server_process import ServerDidNotStartError
from governor.cli import programs
from governor.cli.options import data_option
from governor.cli.up import announcement
from governor.cli.up.data_folder import DEFAULT_FOLDER, DataFolder, Demo
from governor.cli.up.stack import Options, Stack
from governor.cli.up.supervisor import StopRequestedError, Supervisor

EXIT_NOT_READY: Final = 1
EXIT_IN_USE: Final = 3
_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class NotReadyError(RuntimeError):
    """Something of the stack did not come up; the log above says why."""


@click.command()
@data_option("Folder for everything that must be kept; .governor when none is named.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port of the API; 0 takes any.")  # fmt: skip
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Worker processes.")
@click.option("--database-url", help="A PostgreSQL to use instead of the embedded one.")
@click.option("--redis-url", help="A Redis (6.2 or newer) or Valkey to use instead of the embedded one.")
@click.option(
    "--demo/--no-demo", default=True, help="Make keys, limits and payments to try things on (default)."
)
@click.option("--ready-file", type=click.Path(path_type=Path, dir_okay=False), help="Written as JSON when everything answers: addresses, keys, payments.")  # fmt: skip
def up(
    data: Path | None,
    port: int,
    workers: int,
    database_url: str | None,
    redis_url: str | None,
    demo: bool,
    ready_file: Path | None,
) -> None:
    """Everything on this machine: database, queue, provider sandbox, web, relay, workers, cron and messenger.

    Ctrl-C stops all of it. Exit status: 0 stopped when asked, 1 did not become ready, 3 another `governor up` works
    on the same folder.
    """
    options = Options(data or DEFAULT_FOLDER, port, workers, database_url, redis_url, demo, ready_file)
    try:
        folder = DataFolder(options.data)
        folder.claim()
        if ready_file is not None:
            ready_file.unlink(missing_ok=True)
        _check_port(port)
        _bring_up(Stack(options, folder), options, folder)
    except FolderInUseError as taken:
        click.echo(f"governor: {taken}: is `governor up` running there already?", err=True)
        sys.exit(EXIT_IN_USE)
    except (NotReadyError, ServerDidNotStartError, BinariesNotFoundError, OSError) as failure:
        click.echo(f"governor: {failure}", err=True)
        sys.exit(EXIT_NOT_READY)


def _bring_up(stack: Stack, options: Options, folder: DataFolder) -> None:
    """Starts everything, says so, and keeps it running until told to stop; then stops it, whatever happened."""
    for number in _STOP_SIGNALS:
        signal.signal(number, _request_stop)
    # A terminal that closes stops it too, unless it was started with nohup.
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _request_stop)
    supervisor: Supervisor | None = None
    try:
        supervisor = Supervisor(log, folder.wait_for_predecessor())
        _start(supervisor, stack, options)
        folder.keep_addresses(stack.addresses())
        demo = (folder.demo(stack.database_name) if options.demo else None) or announcement.NO_DEMO
        _announce(stack, options, demo)
        supervisor.run()
    except StopRequestedError:
        log("governor", "stopping")
    finally:
        for number in (*_STOP_SIGNALS, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if supervisor is not None:
            supervisor.stop(stack.stop_stages())


def _start(supervisor: Supervisor, stack: Stack, options: Options) -> None:
    """Servers and sandbox, then the schema and the demo, then governor. Raises NotReadyError.

    The web process loads while the database is prepared: it needs the tables only when somebody asks, and it says
    that it is ready only when they are there.
    """
    supervisor.start(stack.sandbox())
    for server in stack.servers():
        supervisor.start(server)
    web, *behind = stack.governor()
    supervisor.start(web)
    if not supervisor.run_until(
        lambda: announcement.answers(f"{stack.sandbox_url}/_sandbox/health"), announcement.READY_SECONDS
    ):
        raise NotReadyError("the sandbox does not answer")
    if supervisor.run_to_end(stack.prepare()) != 0:
        raise NotReadyError("the database could not be prepared" + (" or filled" if options.demo else ""))
    for child in behind:
        supervisor.start(child)
    if not supervisor.run_until(
        lambda: announcement.answers(f"{stack.url}/readyz"), announcement.READY_SECONDS
    ):
        raise NotReadyError(f"{stack.url}/readyz does not answer 200")


def _announce(stack: Stack, options: Options, demo: Demo) -> None:
    """Tells whoever waits."""
    click.echo(announcement.for_a_person(stack, demo))
    if options.ready_file is not None:
        announcement.for_a_program(stack, demo, options.ready_file)


def _check_port(port: int) -> None:
    """A port somebody listens on is named now, not after everything has started. Raises NotReadyError."""
    with socket.socket() as probe:
        if port and probe.connect_ex((programs.LOOPBACK, port)) == 0:
            raise NotReadyError(f"port {port} is taken; choose another with --port, or --port 0 for any")


def _request_stop(number: int, _: FrameType | None) -> None:
    """Leaves whatever the main thread does."""
    raise StopRequestedError(signal.Signals(number).name)


def log(name: str, line: str) -> None:
    """One readable line: the time of day (UTC), who, what."""
    click.echo(f"{time.strftime('%H:%M:%S', time.gmtime())} {name:<9}| {line}")
