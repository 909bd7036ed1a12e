"""What the supervisor keeps alive: programs, whose output it reads, and embedded servers, which keep their own logs."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from adapters.embedded.identity import Identity
from adapters.embedded.server_process import tied_to_us
from governor.cli.up.guard import kill_session

# A line without an end is shown in pieces of this size rather than kept.
LONGEST_LINE: Final = 16 * 1024


class Child(Protocol):
    """Something that runs, may die, and can be started again in the same place."""

    name: str
    # What the guard sends it when the supervisor is gone.
    farewell: signal.Signals

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""

    def start(self) -> None:
        """Starts it, or starts it again."""

    def ask_to_stop(self) -> None:
        """Begins a polite stop and does not wait."""

    def stop(self, seconds: float) -> None:
        """Ends it within about that many seconds, politely if it has been asked, and leaves nothing of it."""


@dataclass(frozen=True)
class Program:
    """A child's command line and its whole environment."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)


class ProgramChild:
    """A program in a session of its own, tied to us; its output and errors come through one pipe."""

    farewell = signal.SIGTERM

    def __init__(self, program: Program) -> None:
        self.name = program.name
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._started_line = b""
        self._status: int | None = None

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def output(self) -> int:
        """The descriptor to watch for its output. Raises RuntimeError before it is started and after it is stopped."""
        if self._process is None or self._process.stdout is None:
            raise RuntimeError(f"{self.name} has no output")
        return self._process.stdout.fileno()

    @property
    def exit_status(self) -> int | None:
        """How it ended: its exit status, or minus the signal that killed it; None while it runs."""
        return self._process.poll() if self._process is not None else self._status

    def start(self) -> None:
        """Starts it. Call from the main thread only: the tie is to the thread that starts."""
        self._process = subprocess.Popen(  # noqa: S603 - our own programs, no shell
            tied_to_us(self._program.argv, self.farewell, Identity()),
            env=dict(self._program.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.set_blocking(self.output, False)

    def read_lines(self) -> list[str] | None:
        """The lines that have arrived, the last one kept until its end arrives; None when nothing more will come."""
        try:
            arrived = os.read(self.output, 64 * 1024)
        except BlockingIOError:
            return []
        *lines, self._started_line = (self._started_line + arrived).split(b"\n")
        if len(self._started_line) > LONGEST_LINE or not arrived:
            lines.append(self._started_line)
            self._started_line = b""
        shown = [line.decode(errors="replace").rstrip() for line in lines if line.strip()]
        return shown if shown or arrived else None

    def ask_to_stop(self) -> None:
        """SIGTERM, which every program of ours takes as: finish what you do, take nothing new."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self, seconds: float) -> None:
        """Waits for the end, kills when it does not come in time, and kills what the program left behind."""
        if self._process is None:
            return
        try:
            self._process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        kill_session(self._process.pid)
        if self._process.stdout is not None:
            self._process.stdout.close()
        # From now on the number may be another process's.
        self._status, self._process = self._process.returncode, None


class EmbeddedServer(Protocol):
    """An embedded PostgreSQL or Redis-protocol server (adapters.embedded)."""

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""

    def start(self) -> None:
        """Starts it on the port it had before."""

    def stop(self, patience_seconds: float) -> None:
        """Stops it, harshly after ``patience_seconds``."""


class ServerChild:
    """An embedded server under the supervisor."""

    def __init__(self, name: str, server: EmbeddedServer, farewell: signal.Signals) -> None:
        self.name = name
        self.farewell = farewell
        self._server = server

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self._server.pid

    def start(self) -> None:
        """Starts it, on the same port as before."""
        self._server.start()

    def ask_to_stop(self) -> None:
        """Nothing: servers stop last, when nobody uses them any more, and then at once."""

    def stop(self, seconds: float) -> None:
        """Stops it, writing everything down."""
        self._server.stop(seconds)
