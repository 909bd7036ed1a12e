"""One server process: started so that it ends with us, waited for until it answers, stopped without haste or pity."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from adapters.embedded.identity import Identity

LIFELINE = Path(__file__).with_name("lifeline.py")
LOOPBACK = "127.0.0.1"


class ServerDidNotStartError(RuntimeError):
    """A server ended or stayed silent before it was ready; the message carries the end of its log."""


def tied_to_us(argv: Sequence[str], death_signal: signal.Signals, identity: Identity) -> list[str]:
    """The command that runs ``argv`` as ``identity`` and gives it ``death_signal`` when the calling process dies.

    Linux ties a child to the *thread* that started it: call from a thread that lives as long as the process.
    """
    words = [str(int(death_signal)), str(os.getpid()), *identity.as_lifeline_arguments()]
    return [sys.executable, "-I", "-S", str(LIFELINE), *words, *argv]


def free_port() -> int:
    """A TCP port on the loopback interface that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """A child process whose output goes to a log file."""

    def __init__(self, log: Path, death_signal: signal.Signals, identity: Identity) -> None:
        self._log = log
        self._death_signal = death_signal
        self._identity = identity
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, or None when it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def launch(self, argv: Sequence[str], *, keep_open: Iterable[int] = ()) -> None:
        """Starts it in a session of its own, so that Ctrl-C at a terminal reaches only the supervisor."""
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - our own binaries, no shell
                tied_to_us(argv, self._death_signal, self._identity),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=tuple(keep_open),
                start_new_session=True,
                cwd="/",
            )

    def wait_until(self, ready: Callable[[], bool], deadline: float) -> bool:
        """Polls ``ready`` until it says yes.

        False when the process has ended. Raises ServerDidNotStartError when the monotonic clock passes ``deadline``.
        """
        while self.pid is not None:
            if ready():
                return True
            if time.monotonic() > deadline:
                raise ServerDidNotStartError(f"no answer in time; its log ends:\n{self.end_of_log()}")
            time.sleep(0.01)
        return False

    def stop(self, *steps: tuple[signal.Signals, float]) -> None:
        """Sends each signal in turn and waits as many seconds for the end; the last resort is SIGKILL."""
        if self._process is None:
            return
        for step, seconds in (*steps, (signal.SIGKILL, 10.0)):
            if self._process.poll() is not None:
                break
            self._process.send_signal(step)
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
        self._process = None

    def end_of_log(self) -> str:
        """The last lines it wrote."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-15:])
