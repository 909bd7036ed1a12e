"""A process says that it lives, so that it is missed when it does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from governor.domain.errors import GovernorError
from governor.domain.processes import EVERY, KEPT, Process
from governor.ports.processes import Processes


class SayAlive:
    """One process's own word: at once, then once in EVERY however often it is called. `monotonic` is in seconds.

    It never raises: a database that is away misses the word, and the process has other things to do than to die of it.
    """

    def __init__(self, processes: Processes, process: Process, monotonic: Callable[[], float]) -> None:
        self._processes = processes
        self._process = process
        self._monotonic = monotonic
        self._begun = monotonic()
        self._said_at: float | None = None

    def __call__(self) -> bool:
        """Say so if it is time; whether it was said and heard."""
        now = self._monotonic()
        if self._said_at is not None and now - self._said_at < EVERY.total_seconds():
            return False
        first, self._said_at = self._said_at is None, now
        try:
            if first:
                # Rows come with starts alone, so this is often enough for them not to pile up.
                self._processes.forget(self._processes.now() - KEPT)
            self._processes.beat(self._process, timedelta(seconds=now - self._begun))
        except GovernorError:
            return False
        return True

    def leave(self) -> None:
        """It stops now. Unheard, it is missed for a while, as one that died."""
        try:
            self._processes.leave(self._process.id)
        except GovernorError:
            return
