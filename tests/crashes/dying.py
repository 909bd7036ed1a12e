"""A child that dies at a checkpoint: forked from this process, so that everything heavy is imported already.

    child = Child(deed, Place("claim.committed"), Fault.KILL)
    child.end()                     # back when it is gone

A stopped child sleeps at its checkpoint, with whatever it holds, until it is woken.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from governor import checkpoint as checkpoints
from tests.stack import PATIENCE_SECONDS

LOOK_SECONDS = 0.001


class Fault(StrEnum):
    """What happens at a checkpoint."""

    KILL = "kill"
    THROW = "throw"
    STOP = "stop"


class Thrown(Exception):
    """An exception that nobody thought of."""


@dataclass(frozen=True)
class Place:
    """The `times`-th passing of a checkpoint; of any checkpoint at all where `name` is None."""

    name: str | None
    times: int = 1

    def __str__(self) -> str:
        word = self.name or "any"
        return word if self.times == 1 else f"{word}-{self.times}"


@dataclass
class _Trap:
    """What a child watches for."""

    place: Place
    fault: Fault
    passed: int = 0
    sprung: str | None = None

    def __call__(self, name: str) -> None:
        if self.place.name in {None, name}:
            self.passed += 1
        if self.sprung is not None or self.passed < self.place.times:
            return
        self.sprung = name
        if self.fault is Fault.THROW:
            raise Thrown(name)
        # To this thread, which then goes no step further; a signal to the process may let it run on for a while.
        signal.pthread_kill(
            threading.get_ident(), signal.SIGKILL if self.fault is Fault.KILL else signal.SIGSTOP
        )


@dataclass(frozen=True)
class Told:
    """How a child's deed ended: `sprung` is the checkpoint of its fault, `error` the exception that came out."""

    sprung: str | None
    error: str | None
    result: Any


class Child:
    """A deed in a process of its own, with a fault on its way."""

    def __init__(self, deed: Callable[[], Any], place: Place, fault: Fault) -> None:
        self.place, self.fault = place, fault
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _live(deed, _Trap(place, fault), writing)
        os.close(writing)
        self._status = 0

    def until_stopped(self) -> None:
        """Back when it sleeps at its checkpoint."""
        self._wait(os.WUNTRACED)
        assert os.WIFSTOPPED(self._status), f"{self.place} was never reached"

    def wake(self) -> Told:
        """Let it go on; how it ended."""
        os.kill(self.pid, signal.SIGCONT)
        return self.end()

    def end(self) -> Told:
        """Wait until it is gone; how it ended. A killed one says nothing."""
        self._wait(0)
        with os.fdopen(self._reading) as reading:
            text = reading.read()
        if os.WIFSIGNALED(self._status):
            assert (self.fault, os.WTERMSIG(self._status)) == (Fault.KILL, signal.SIGKILL)
            return Told(str(self.place), None, None)
        return Told(**json.loads(text))

    def _wait(self, options: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            pid, self._status = os.waitpid(self.pid, options | os.WNOHANG)
            if pid:
                return
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError(f"the child neither reaches {self.place} nor ends")
            time.sleep(LOOK_SECONDS)


def _live(deed: Callable[[], Any], trap: _Trap, writing: int) -> None:
    """The child's whole life; it never comes back into the test that forked it."""
    error, result = None, None
    try:
        checkpoints.watch = trap
        result = deed()
    except BaseException as failure:  # noqa: BLE001 - whatever it is, the parent is told, and the child ends here
        error = f"{type(failure).__name__}: {failure}"
    finally:
        told = json.dumps({"sprung": trap.sprung, "error": error, "result": result}, default=str)
        os.write(writing, told.encode())
        os._exit(0)
