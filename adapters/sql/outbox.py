"""The outbox: which requests a worker should be rung for, and a bell that says when there are new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol, cast

from psycopg import Connection
from psycopg import Error as DriverError
from sqlalchemy import Engine, exc

from adapters.sql import write_statements as sql
from governor.checkpoint import checkpoint
from governor.domain.errors import Unavailable


class _Now(Protocol):
    def now(self) -> datetime: ...


class Outbox:
    """Rows leave the outbox only after the bell rang, so a crash rings twice and never not at all.

    Every method raises Unavailable (`database_unavailable`) when the database is away: who rings waits and goes on.
    """

    def __init__(self, engine: Engine, clock: _Now) -> None:
        self._engine = engine
        self._clock = clock

    def ring_due(self, ring: Callable[[str], None], *, at_most: int = 500) -> int:
        """Ring once per environment for its due rows, then drop them; returns how many rows were due.

        Several relays share the rows: each skips what another holds. An exception of `ring` keeps them.
        """
        now = self._clock.now()
        with _reachable(), self._engine.begin() as connection:
            due = connection.execute(sql.DUE_BELLS, {"now": now, "at_most": at_most}).all()
            checkpoint("relay.row_read")
            for request in {row.environment: row.request for row in due}.values():
                ring(request)
            connection.execute(sql.DROP_BELLS, {"ids": [row.id for row in due]})
            checkpoint("relay.before_commit")
        return len(due)

    def ring_overdue(self, ring: Callable[[str], None]) -> int:
        """Ring for whatever is queued or in doubt and due, whether or not a bell was lost.

        Redis may forget everything; this remembers.
        """
        now = self._clock.now()
        with _reachable(), self._engine.connect() as connection:
            overdue = connection.scalars(sql.OVERDUE, {"now": now}).all()
        checkpoint("sweep.overdue_found")
        for request in overdue:
            ring(request)
        return len(overdue)

    @contextmanager
    def bell(self) -> Iterator[Callable[[float], bool]]:
        """Listen for new rows: the yielded function sleeps until a transaction queued something.

        It waits at most the given seconds and says whether it was woken. It listens all the while, so a
        ring between two waits wakes the next one at once.
        """
        listening = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        with _reachable(), listening.connect() as connection:
            driver = cast("Connection[tuple[object, ...]]", connection.connection.driver_connection)
            driver.execute("LISTEN governor_outbox")
            try:
                yield lambda seconds: any(True for _ in driver.notifies(timeout=seconds, stop_after=1))
            finally:
                # A connection that still listens must not go back to the pool.
                connection.invalidate()


@contextmanager
def _reachable() -> Iterator[None]:
    """A database that is away is something to wait for, whoever of the two libraries notices it."""
    try:
        yield
    except (exc.DBAPIError, exc.TimeoutError, DriverError) as error:
        raise Unavailable("database_unavailable", "The database cannot be reached.") from error
