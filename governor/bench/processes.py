"""Real processes to measure: the web server, relay, worker and the provider twin, each with its own pid to stop."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from governor.bench.measure import BrokenRunError

PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 0.02


@contextmanager
def running(
    command: Sequence[str],
    log: Path,
    *,
    variables: Mapping[str, str] | None = None,
    at_work: Callable[[str], bool],
    keep: Sequence[int] = (),
) -> Iterator[subprocess.Popen[bytes]]:
    """A process from the moment it is at work (as it says in its log) until it is stopped.

    Raises:
        BrokenRunError: it ended, or did not get to work in time; with the end of what it said.
    """
    with log.open("wb") as said:
        process = subprocess.Popen(  # noqa: S603  our own programs, by the path of this interpreter
            command, env=os.environ | dict(variables or {}), stdout=said, stderr=said, pass_fds=keep
        )
    try:
        until(lambda: at_work(log.read_text(encoding="utf-8")), process, log)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until(condition: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Looks again until it is so.

    Raises:
        BrokenRunError: the process ended, or it took too long.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            raise BrokenRunError(f"{process.args!r}: {log.read_text(encoding='utf-8')[-2000:]}")
        time.sleep(LOOK_SECONDS)


@contextmanager
def web(folder: Path, variables: Mapping[str, str], *, workers: int = 2) -> Iterator[int]:
    """The web server as in production, with the bench's application; yields its port.

    It gets a socket that listens already, so that no port can be lost to somebody else.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.set_inheritable(True)
        address = f"fd://{listener.fileno()}"
        gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:governor.web_server"]
        command = [*gunicorn, "--bind", address, "governor.bench.one_insert:application()"]
        given = {**variables, "GOVERNOR_WEB_WORKERS": str(workers)}
        port: int = listener.getsockname()[1]
        answers = lambda _said: _answers(port)  # noqa: E731  what `at_work` asks for, in one line
        with running(command, folder / "web.log", variables=given, at_work=answers, keep=[listener.fileno()]):
            yield port


def _answers(port: int) -> bool:
    """Whether somebody accepts and answers; the listening socket alone accepts from the start."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return connection.recv(64).startswith(b"HTTP/1.1 200")


@contextmanager
def background(name: str, folder: Path, variables: Mapping[str, str], number: int = 1) -> Iterator[int]:
    """A relay or a worker; yields its pid."""
    command = [sys.executable, "-m", "workers.main", name]
    log = folder / f"{name}-{number}.log"
    with running(
        command, log, variables=variables, at_work=lambda said: f"{name}.started" in said
    ) as process:
        yield process.pid


@contextmanager
def twin(folder: Path) -> Iterator[str]:
    """The provider twin; yields its address."""
    ready = folder / "twin.url"
    command = [sys.executable, "-m", "adapters.sandbox", "--port", "0", "--ready-file", str(ready)]
    with running(command, folder / "twin.log", at_work=lambda _said: ready.exists()):
        yield ready.read_text(encoding="utf-8")
