"""The storm's own processes: killed, put to sleep and started again, by their process ids and no others."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from adapters.embedded.identity import Identity
from adapters.embedded.server_process import tied_to_us
from governor.cli.up.back_off import BackOff
from governor.cli.up.guard import members

STOP_SECONDS = 15.0


class Program:
    """One program in a session of its own, which ends with us. Start it from the main thread only."""

    def __init__(
        self, argv: Sequence[str], variables: Mapping[str, str], log: Path, keep_open: Sequence[int] = ()
    ) -> None:
        self._argv = argv
        self._environment = os.environ | dict(variables)
        self._log = log
        self._keep_open = keep_open
        self._process: subprocess.Popen[bytes] | None = None
        self._back_off = BackOff()
        self._orphans: list[psutil.Process] = []

    def start(self) -> None:
        """Start it, or start it again."""
        with self._log.open("ab") as said:
            self._process = subprocess.Popen(  # noqa: S603  our own programs, no shell
                tied_to_us(self._argv, signal.SIGKILL, Identity()),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=self._keep_open,
                start_new_session=True,
            )
        self._back_off.has_started()

    def kill(self, how: str) -> int:
        """SIGKILL for `all` its processes, the `first` alone, or one `forked` (all, where none is); how many."""
        family = self._family()
        chosen = {"first": family[:1], "forked": family[-1:]}.get(how, family)
        for member in chosen:
            _signal(member, signal.SIGKILL)
        return len(chosen)

    def pause(self) -> None:
        """Put all its processes to sleep."""
        for member in self._family():
            _signal(member, signal.SIGSTOP)

    def go_on(self) -> None:
        """Wake them up, those included that outlived their first process."""
        for member in (*self._family(), *self._orphans):
            _signal(member, signal.SIGCONT)

    def revive(self) -> bool:
        """Start it again if it has ended and its wait is over; whether that was done."""
        if self._process is None or self._process.poll() is None:
            return False
        if self._back_off.has_died() is not None:
            self._orphans = [*_alive(self._orphans), *_processes(self._process.pid)]
        if not self._back_off.is_over:
            return False
        self.start()
        return True

    def ask_to_stop(self) -> None:
        """SIGTERM: finish what is under way, and take nothing new."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Wait for the end, kill when it does not come, and leave nothing of it behind."""
        if self._process is None:
            return
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill("all")
            self._process.wait()
        for member in (*_processes(self._process.pid), *self._orphans):
            _signal(member, signal.SIGKILL)
        self._process = None

    def said(self) -> str:
        """What it has written, over all its starts."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def _family(self) -> list[psutil.Process]:
        """Its living processes, the first one first."""
        if self._process is None or self._process.poll() is not None:
            return []
        first = self._process.pid
        return sorted(_processes(first), key=lambda one: (one.pid != first, one.pid))


def _processes(session: int) -> list[psutil.Process]:
    """Those of a session, each as a handle that is never mistaken for a later process of the same number."""
    found = []
    for pid in members([session]):
        try:
            found.append(psutil.Process(pid))
        except psutil.NoSuchProcess:
            continue
    return found


def _alive(some: Sequence[psutil.Process]) -> list[psutil.Process]:
    return [one for one in some if one.is_running()]


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    """Signals a process that may end at any moment."""
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
