"""Outlives the supervisor by a few seconds, and nothing else does: no orphans after its SIGKILL.

The supervisor tells on our standard input whom to watch (``watch PID SIGNAL``) and whom not any more
(``forget PID``). When that pipe closes, whoever is still watched has lost its supervisor: each gets its signal, and
what is left of its session after ``PATIENCE_SECONDS`` is killed. A session and not a process group, because an RQ
worker's child moves to a group of its own. The kernel's death signal (adapters.embedded.lifeline) does the first part
sooner where there is one; this works on every system, and for those who ignore a polite signal.
"""

import os
import signal
import sys
import time
from collections.abc import Collection
from typing import Final, TextIO

import psutil

PATIENCE_SECONDS: Final = 7.0


def watched_until_the_end(lines: TextIO) -> dict[int, signal.Signals]:
    """Reads until the supervisor is gone; who was watched then, with the signal each asks for."""
    watched: dict[int, signal.Signals] = {}
    for line in lines:
        match line.split():
            case ["watch", pid, number]:
                watched[int(pid)] = signal.Signals(int(number))
            case ["forget", pid]:
                watched.pop(int(pid), None)
            case _:
                raise ValueError(f"not a line for the guard: {line!r}")
    return watched


def members(sessions: Collection[int]) -> list[int]:
    """The processes that belong to one of these sessions (a session's number is its first process's)."""
    return [pid for pid in psutil.pids() if _session_of(pid) in sessions]


def kill_session(leader: int) -> None:
    """Kills what is left of a session whose first process has ended."""
    for pid in members([leader]):
        _send(pid, signal.SIGKILL)


def _session_of(pid: int) -> int | None:
    """The session of a process that may end at any moment."""
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _send(pid: int, number: signal.Signals) -> None:
    """Signals a process that may end at any moment."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def end_all(watched: dict[int, signal.Signals]) -> None:
    """Politely first, then not."""
    for pid in members(watched):
        if pid in watched:
            _send(pid, watched[pid])
    deadline = time.monotonic() + PATIENCE_SECONDS
    while members(watched) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in members(watched):
        _send(pid, signal.SIGKILL)


if __name__ == "__main__":
    end_all(watched_until_the_end(sys.stdin))
