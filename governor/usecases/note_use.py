"""When a key was last used: to the minute, and never on the way of an answer."""

from __future__ import annotations

from collections.abc import Callable

from governor.domain.errors import Unavailable
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller

EVERY_SECONDS = 60.0
MOST_REMEMBERED = 10_000
"""Keys that a process remembers having noted; then it starts over, so that short-lived ones do not pile up."""


class NoteUse:
    """At most once a minute for each key and process. `monotonic` is the process's monotonic clock in seconds."""

    def __init__(self, store: UnitOfWork, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._noted: dict[str, float] = {}

    def due(self, caller: Caller) -> bool:
        """Whether it is time to note this caller's key; True once, for whoever asks first."""
        now, key = self._monotonic(), caller.credential.id
        if now - self._noted.get(key, -EVERY_SECONDS) < EVERY_SECONDS:
            return False
        if len(self._noted) >= MOST_REMEMBERED:
            self._noted.clear()
        self._noted[key] = now
        return True

    def __call__(self, caller: Caller) -> None:
        """Note it, after the answer has gone out. A database that is away has more important things to miss."""
        try:
            self._store.note_use(caller.environment, caller.credential.id)
        except Unavailable:
            self._noted.pop(caller.credential.id, None)
