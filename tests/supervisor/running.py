"""A `governor up` under test: started, waited for, looked at, ended."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psutil

from tests import stack
from tests.stack import PATIENCE_SECONDS

_numbers = count(1)


class RunningUp:
    """The supervisor's process, what it has said, and its family."""

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        self.data = data
        number = next(_numbers)
        self.ready_file = data.parent / f"ready-{number}.json"
        self._said = data.parent / f"said-{number}.txt"
        argv = [
            sys.executable,
            "-m",
            "tests.supervisor.small_up",
            "--data",
            str(data),
            "--port",
            "0",
            "--no-demo",
        ]
        with self._said.open("ab") as said:
            self.process = subprocess.Popen(
                [*argv, "--ready-file", str(self.ready_file), *options],
                stdout=said,
                stderr=said,
                env=os.environ | environment,
            )

    @property
    def said(self) -> str:
        return self._said.read_text()

    def ready(self) -> dict[str, Any]:
        """What the ready file says, once it is there."""
        eventually(lambda: self.ready_file.exists() or self.process.poll() is not None, self)
        assert self.process.poll() is None, self.said
        told: dict[str, Any] = json.loads(self.ready_file.read_text())
        return told

    def family(self) -> list[psutil.Process]:
        """Every process that exists because of this one."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def pid_of(self, name: str) -> int:
        """The process id of a child's last start, from the log; waits for the first one."""
        eventually(lambda: bool(self._starts(name)), self)
        return int(self._starts(name)[-1].rpartition("process ")[2].rstrip(")"))

    def _starts(self, name: str) -> list[str]:
        # A long name fills its column.
        started = re.compile(rf" {re.escape(name)} *\| started")
        return [line for line in self.said.splitlines() if started.search(line)]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Asks it to stop, and back when it has."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE_SECONDS)


@contextmanager
def running_up(data: Path, *options: str, **environment: str) -> Iterator[RunningUp]:
    """A supervisor that is ended at the end, kindly if it can be, with all its family in any case."""
    up = RunningUp(data, *options, **environment)
    try:
        yield up
    finally:
        if up.process.poll() is None:
            up.stop()


def eventually(condition: Callable[[], bool], up: RunningUp) -> None:
    """Waits for a condition; shows what was said when it never comes."""
    stack.eventually(condition, lambda: up.said)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run: neither gone nor waiting to be buried."""
    return [process for process in processes if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    """A process may go between two questions about it; then it is gone."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def command_of(process: psutil.Process) -> list[str]:
    """The command line; none of a process that goes while it is asked."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
