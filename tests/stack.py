"""The real processes: web (gunicorn), relay, worker, cron. Each can be started, stopped and killed by itself.

with Stack(settings(database_url, redis_url, provider_url=twin.url), folder) as stack:
    stack.start("relay", "worker")
    stack.kill("worker")              # SIGKILL, with the job it runs
    stack.start("web")
    status, headers, body = stack.call("POST", "/api/v1/refund-requests", key, {...}, **{"Idempotency-Key": "…"})
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil
from pydantic import SecretStr

from governor.settings import Settings

PROJECT = Path(__file__).resolve().parent.parent
PATIENCE_SECONDS = 120.0
"""How long anything may take that is only waited for: a test that passes never waits so long, however slow the machine."""
LOOK_SECONDS = 0.01
GUNICORN = (sys.executable, "-m", "gunicorn", "--config", "python:governor.web_server")


def settings_as_variables(settings: Settings) -> dict[str, str]:
    """The settings as the environment variables from which a process reads them; what was not set stays unset."""
    asked = {name: getattr(settings, name) for name in settings.model_fields_set}
    given = {name: value for name, value in asked.items() if value is not None}
    return {f"GOVERNOR_{name.upper()}": _text(value) for name, value in given.items()}


def _text(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def eventually(condition: Callable[[], bool], explain: Callable[[], str] = str) -> None:
    """Looks again until it is so; AssertionError with the explanation when it never comes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(LOOK_SECONDS)


@contextmanager
def listening(port: int = 0) -> Iterator[tuple[int, int]]:
    """A port and the descriptor of its listener, to be inherited: so no port is lost to somebody else."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.set_inheritable(True)
        yield listener.getsockname()[1], listener.fileno()


@contextmanager
def nobody() -> Iterator[int]:
    """A port on which nobody listens, and which nobody else can take."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@contextmanager
def web_server(application: str, *options: str, **variables: str) -> Iterator[int]:
    """One worker of gunicorn as deployed; its port, on which a call waits until it serves. It ends when it is told to."""
    with listening() as (port, descriptor):
        served = [*GUNICORN, "--workers", "1", *options, "--bind", f"fd://{descriptor}", application]
        server = subprocess.Popen(served, cwd=PROJECT, env=os.environ | variables, pass_fds=[descriptor])
    try:
        yield port
    finally:
        server.terminate()
        try:
            assert server.wait(PATIENCE_SECONDS) == 0
        finally:
            server.kill()  # one that has ended hears nothing


class Stack:
    """The processes by name, and what they have said."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._environment = os.environ | settings_as_variables(settings) | {"GOVERNOR_WEB_WORKERS": "1"}
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._said_before: dict[str, int] = {}
        self.port = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in [*self._running]:
            self.stop(name)

    def start(self, *names: str) -> None:
        """Start these processes at the same time and return when all of them are at work."""
        for name in names:
            self.begin(name)
        for name in names:
            eventually(lambda name=name: self._at_work(name), lambda name=name: self.said(name))  # type: ignore[misc]  # mypy infers no type for a lambda's default

    def begin(self, name: str) -> None:
        """Start a process without waiting for it."""
        if name == "web":
            self._start_web()
        else:
            self._spawn(name, [sys.executable, "-m", "workers.main", name])

    def stop(self, name: str) -> None:
        """SIGTERM, and back when the process is gone; SIGKILL and an error when it does not go."""
        process = self._running[name]
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill(name)
            raise
        self._running.pop(name)

    def kill(self, name: str) -> None:
        """SIGKILL for the process and for all it has forked; back when they are gone."""
        process = self._running.pop(name)
        family = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
        for member in family:
            member.kill()
        process.wait()
        psutil.wait_procs(family)

    def forked(self, name: str) -> list[psutil.Process]:
        """What a process has forked and that still runs."""
        return psutil.Process(self._running[name].pid).children(recursive=True)

    def kill_alone(self, name: str) -> list[psutil.Process]:
        """SIGKILL for the process, and not for what it has forked: the orphans, to be waited for."""
        orphans, process = self.forked(name), self._running.pop(name)
        process.kill()
        process.wait()
        return orphans

    def lives(self, name: str) -> bool:
        """Whether the process that was started runs on."""
        return self._running[name].poll() is None

    def said(self, name: str) -> str:
        """What a process has written, over all its starts."""
        log = self._folder / f"{name}.log"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    def call(
        self, method: str, path: str, key: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """One call of the web process's API: status, headers, and the JSON of the answer."""
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"} | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, sent)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), json.loads(response.read() or b"null")
        finally:
            connection.close()

    def _start_web(self) -> None:
        with listening(self.port) as (self.port, descriptor):
            command = [*GUNICORN, "--bind", f"fd://{descriptor}", "governor.wsgi:application"]
            self._spawn("web", command, descriptor)

    def _spawn(self, name: str, command: list[str], *keep: int) -> None:
        assert name not in self._running, f"{name} is running"
        with (self._folder / f"{name}.log").open("ab") as log:
            self._said_before[name] = log.tell()
            self._running[name] = subprocess.Popen(
                command, cwd=PROJECT, env=self._environment, stdout=log, stderr=log, pass_fds=keep
            )

    def _at_work(self, name: str) -> bool:
        assert self._running[name].poll() is None, self.said(name)
        if name != "web":
            return f"{name}.started" in self.said(name)[self._said_before[name] :]
        return self.call("GET", "/livez", "")[0] == 200
