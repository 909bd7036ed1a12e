"""The inbox of the provider's events, and how far its lists were walked (governor.ports.inbox)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, Row, TextClause, exc

from adapters.sql import inbox_statements as sql
from governor.checkpoint import checkpoint
from governor.domain.errors import Unavailable
from governor.ports.inbox import Received, Walk
from governor.ports.provider import ProviderEvent


class _Now(Protocol):
    def now(self) -> datetime: ...


class SqlInbox:
    """`governor.ports.inbox.EventInbox` on PostgreSQL. `clock` tells governor's time: the database's, moved."""

    def __init__(self, engine: Engine, clock: _Now) -> None:
        self._engine = engine
        self._clock = clock

    def keep(self, environment: str, received: Sequence[Received]) -> int:
        """Store what is new, due now; returns how many were new."""
        # Each once, and in one order everywhere, so that two who keep the same cannot wait for each other.
        once = [one for _, one in sorted({one.event.id: one for one in received}.items())]
        given: dict[str, Any] = {
            name: [getattr(one.event, name) for one in once]
            for name in ("id", "type", "payment", "refund", "key", "happened_at")
        }
        given |= {"digest": [one.digest for one in once], "body": [one.body for one in once]}
        given |= {"env": environment, "now": self._clock.now()}
        with self._committed() as connection:
            kept = connection.execute(sql.KEEP_EVENTS, given).all()
        return len(kept)

    def digest_of(self, environment: str, event_id: str) -> str | None:
        """The digest under which an event was kept first."""
        return self._word(sql.EVENT_DIGEST, {"env": environment, "id": event_id})

    def anything_due(self, environment: str) -> str | None:
        """The id of an event that is due to be read, if there is one."""
        return self._word(sql.EVENT_DUE, {"env": environment, "now": self._clock.now()})

    def take_due(self, environment: str, *, at_most: int) -> tuple[ProviderEvent, ...]:
        """Due events, oldest first, each put off for as long as it may take to read it."""
        wanted = {"env": environment, "now": self._clock.now(), "at_most": at_most}
        with self._committed() as connection:
            taken = connection.execute(sql.TAKE_EVENTS, wanted).all()
        return tuple(sorted(map(_event, taken), key=lambda event: (event.happened_at, event.id)))

    def done(self, environment: str, ids: Sequence[str], result: str) -> None:
        """These were read; their bodies are dropped."""
        read = {"env": environment, "ids": list(ids), "result": result, "now": self._clock.now()}
        with self._committed() as connection:
            connection.execute(sql.EVENTS_DONE, read)

    def environment_of(self, event_id: str) -> str | None:
        """Where an event was received, and has waited longest."""
        return self._word(sql.EVENT_ENVIRONMENT, {"id": event_id})

    def unread(self, environment: str, *, tries: int) -> tuple[int, datetime | None]:
        """How many events are still unread after so many tries, and since when the oldest is here."""
        with _reachable(), self._engine.connect() as connection:
            number, oldest = connection.execute(sql.EVENTS_UNREAD, {"env": environment, "tries": tries}).one()
        return number, oldest

    def walk(self, environment: str, name: str) -> Walk | None:
        """How far the list was walked."""
        with _reachable(), self._engine.connect() as connection:
            row = connection.execute(sql.WALK, {"env": environment, "list": name}).first()
        return None if row is None else Walk(row.until, row.walked_at, row.tried_at)

    def tried(self, environment: str, name: str) -> datetime:
        """A walk of this list begins."""
        begun = self._clock.now()
        with self._committed() as connection:
            connection.execute(sql.TRIED, {"env": environment, "list": name, "begun": begun})
        return begun

    def walked(self, environment: str, name: str, until: datetime, begun: datetime) -> None:
        """The walk that began at `begun` has come to the list's end, up to `until`."""
        reached = {"env": environment, "list": name, "until": until, "begun": begun}
        with self._committed() as connection:
            connection.execute(sql.WALKED, reached)

    def _word(self, statement: TextClause, parameters: Mapping[str, object]) -> str | None:
        with _reachable(), self._engine.connect() as connection:
            found: str | None = connection.scalar(statement, parameters)
        return found

    @contextmanager
    def _committed(self) -> Iterator[Connection]:
        """A transaction that is durable when the block is left without an exception.

        Raises:
            Unavailable: `event_not_recorded`, also when the commit may not be on the standby.
        """
        with _reachable(), self._engine.connect() as connection:
            yield connection
            checkpoint("inbox.written")
            connection.commit()
            checkpoint("inbox.committed")


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError) as error:
        raise Unavailable("event_not_recorded", "The inbox cannot be reached.") from error


def _event(row: Row[Any]) -> ProviderEvent:
    """What is not in the table has been looked at before: only test events of the environment's account are kept."""
    return ProviderEvent(
        id=row.id,
        type=row.type,
        happened_at=row.happened_at,
        livemode=False,
        account=None,
        payment=row.payment,
        refund=row.refund,
        key=row.key,
    )
