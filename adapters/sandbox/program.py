"""The program: arguments, parts put together, start and stop."""

import argparse
import os
import signal
import sqlite3
import sys
import threading
from pathlib import Path

from adapters.sandbox import late_outcomes
from adapters.sandbox.calls import CallLog
from adapters.sandbox.control_side import ControlSide
from adapters.sandbox.deliveries import Courier
from adapters.sandbox.faults import FaultBook
from adapters.sandbox.server import Server
from adapters.sandbox.state_file import StateFile
from adapters.sandbox.stripe_side import StripeSide
from adapters.sandbox.webhook_endpoints import LOOPBACK
from adapters.sandbox.wire import Reply, Request
from adapters.sandbox.world import World

_TICK_SECONDS = 0.25


class Program:
    """A twin, put together and ready to run."""

    def __init__(self, host: str, port: int, state: StateFile | None) -> None:
        self.stopping = threading.Event()
        self._world = World(state)
        self._faults, log = FaultBook(), CallLog()
        self._courier = Courier(self._world, self.stopping)
        self.server = Server(host, port, self._reply)
        self._stripe_side = StripeSide(self._world, self._faults, log, self.stopping)
        self._control_side = ControlSide(
            self._world, self._faults, log, self._courier, self.server.refuse_connections
        )

    def run(self) -> None:
        """Serves until ``stopping`` is set."""
        for part in (self.server.run, self._courier.run):
            threading.Thread(target=part, daemon=True).start()
        self._fire_late_outcomes()
        self._faults.forget()  # who waits meanwhile is let go, and finds that the twin stops
        self.server.stop()
        self._courier.wake()

    def _reply(self, request: Request) -> Reply:
        if request.path.startswith("/_sandbox/"):
            return self._control_side.reply(request)
        reply = self._stripe_side.reply(request)
        if request.method == "POST":
            self._courier.wake()
        return reply

    def _fire_late_outcomes(self) -> None:
        """Time passes for pending and late-failing refunds even when nobody moves the clock.

        In the main thread, which therefore never sleeps for long: Python's handlers of signals run there and nowhere
        else, and a signal that came while the process was halted may have been taken by another thread.
        """
        while not self.stopping.wait(_TICK_SECONDS):
            with self._world.change():
                late_outcomes.fire_due(self._world)


def main(argv: list[str]) -> int:
    """Runs the twin until SIGTERM or SIGINT; returns the exit status. Prints one line with its URL."""
    arguments = _arguments(argv)
    try:
        state = StateFile(arguments.state) if arguments.state else None
        program = Program(arguments.host, arguments.port, state)
    except (OSError, sqlite3.Error) as failure:
        sys.stderr.write(f"sandbox: cannot start: {failure}\n")
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: program.stopping.set())
    sys.stdout.write(f"sandbox: {program.server.url}\n")
    sys.stdout.flush()
    if arguments.ready_file:
        _write_at_once(arguments.ready_file, program.server.url)
    program.run()
    return 0


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="governor sandbox", description="A Stripe-shaped server for development, demos and tests."
    )
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=12111, help="0 takes any free port (default: 12111)")
    parser.add_argument("--state", type=Path, help="SQLite file that keeps the world over restarts")
    parser.add_argument(
        "--ready-file", type=Path, help="file that gets the URL once connections are accepted"
    )
    arguments = parser.parse_args(argv)
    if arguments.host not in LOOPBACK:
        # The control side asks for no password: nobody else may ever reach it.
        parser.error(f"--host must be one of {', '.join(sorted(LOOPBACK))}")
    return arguments


def _write_at_once(path: Path, text: str) -> None:
    """A reader finds the whole text or no file."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
