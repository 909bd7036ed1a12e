"""The outbox in memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from adapters.memory import waiting
from adapters.memory.tables import Tables


class MemoryOutbox:
    """Rows leave the outbox only after the bell rang. `clock` is the time of the store (UTC)."""

    def __init__(self, tables: Tables, clock: Callable[[], datetime]) -> None:
        self._tables = tables
        self._clock = clock

    def ring_due(self, ring: Callable[[str], None], *, at_most: int = 500) -> int:
        """Ring once per environment for its due rows, then drop them; returns how many rows were due.

        An exception of `ring` keeps them.
        """
        now = self._clock()
        due = sorted((row.due_at, n, row) for n, row in self._tables.bells.items() if row.due_at <= now)
        first = due[:at_most]
        for request in {row.environment: row.request for _, _, row in first}.values():
            ring(request)
        for _, number, _ in first:
            self._tables.bells.drop(number)
        self._tables.commit()
        return len(first)

    def ring_overdue(self, ring: Callable[[str], None]) -> int:
        """Ring for whatever is queued or in doubt and due, whether or not a bell was lost."""
        overdue = list(filter(None, map(self._overdue, sorted(self._tables.environments))))
        for request in overdue:
            ring(request)
        return len(overdue)

    def _overdue(self, environment: str) -> str | None:
        """One request that waits and is due, beside an unresolved one or not."""
        now = self._clock()
        queued = waiting.queued(self._tables, environment, now)
        found = queued or waiting.unresolved(self._tables, environment, now)
        return found[0].id if found else None
