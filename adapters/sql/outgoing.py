"""What is to be told and delivered (governor.ports.messages.Outgoing)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, exc, text

from adapters.sql import rows
from adapters.sql.endpoints import endpoint_from, sealed_from
from adapters.sql.execute import records
from adapters.sql.telling import AT_ONCE, SqlTrail
from governor.domain.deliveries import Receipt
from governor.domain.errors import Unavailable
from governor.domain.messages import Message
from governor.ports.messages import Claimed

LEASE = timedelta(seconds=60)
"""For how long a try may be under way: four times as long as it is let take."""
BESIDE = 8
"""How many deliveries to one endpoint may be under way at a time; one, while it takes nothing. So a slow endpoint, or one
that is gone, keeps nobody else waiting."""

UNTOLD = text("""
    SELECT e.name FROM environments e LEFT JOIN tellings t ON t.environment = e.name
    WHERE e.audit_seq > coalesce(t.seq, 0) ORDER BY e.name""")
UNTOLD_SINCE = text("""
    SELECT at FROM audit WHERE environment = :env
    AND seq > coalesce((SELECT seq FROM tellings WHERE environment = :env), 0) ORDER BY seq LIMIT 1""")
BEGIN_TELLING = text("INSERT INTO tellings (environment, seq) VALUES (:env, 0) ON CONFLICT DO NOTHING")
TOLD_TO = text("SELECT seq FROM tellings WHERE environment = :env FOR UPDATE SKIP LOCKED")
FORGET = text("""
    WITH old AS MATERIALIZED (
        SELECT id FROM (SELECT id, at FROM messages WHERE environment = :env ORDER BY id LIMIT :at_most) oldest
        WHERE at < :before AND NOT EXISTS (
            SELECT 1 FROM deliveries d JOIN endpoints e ON e.environment = d.environment AND e.id = d.endpoint
            WHERE d.environment = :env AND d.message = oldest.id AND d.state IN ('pending', 'sending')
            AND e.disabled_at IS NULL AND e.deleted_at IS NULL)),
    undelivered AS (DELETE FROM deliveries WHERE environment = :env AND message = ANY(ARRAY(SELECT id FROM old))),
    unmet AS (DELETE FROM passed_over WHERE environment = :env AND at < :before)
    DELETE FROM messages WHERE environment = :env AND id = ANY(ARRAY(SELECT id FROM old))""")
"""Ids of messages sort by time: the oldest are found without an index of their own."""
TELLING = text("SELECT environment FROM tellings ORDER BY environment")
OPEN = text("""
    SELECT jsonb_build_object('endpoint', to_jsonb(e), 'room', room)
    FROM endpoints e CROSS JOIN LATERAL (
        SELECT CASE WHEN e.failing_since IS NULL THEN :beside ELSE 1 END - count(*) AS room
        FROM deliveries d WHERE d.environment = e.environment AND d.endpoint = e.id
        AND d.state = 'sending' AND d.due_at > :now) under_way
    WHERE e.disabled_at IS NULL AND e.deleted_at IS NULL AND room > 0 AND EXISTS (
        SELECT 1 FROM deliveries d WHERE d.environment = e.environment AND d.endpoint = e.id
        AND d.state IN ('pending', 'sending') AND d.due_at <= :now)
    ORDER BY e.failing_since NULLS FIRST, e.environment, e.id""")
"""Endpoints with something due and room for it; those that take what they get come first."""
CLAIM = text("""
    WITH due AS MATERIALIZED (
        SELECT message FROM deliveries WHERE environment = :env AND endpoint = :endpoint
        AND state IN ('pending', 'sending') AND due_at <= :now
        ORDER BY due_at, message LIMIT :at_most FOR UPDATE SKIP LOCKED),
    claimed AS (
        UPDATE deliveries SET state = 'sending', tries = tries + 1, due_at = :until, tried_at = :now
        WHERE environment = :env AND endpoint = :endpoint AND message = ANY(ARRAY(SELECT message FROM due))
        RETURNING message, tries)
    SELECT jsonb_build_object('message', to_jsonb(m), 'tries', c.tries)
    FROM claimed c CROSS JOIN LATERAL (
        SELECT * FROM messages x WHERE x.environment = :env AND x.id = c.message LIMIT 1) m""")
DELIVERED = text("""
    WITH done AS (
        UPDATE deliveries SET state = 'delivered', due_at = NULL, delivered_at = :now, last_status = :status, last_error = NULL,
            last_milliseconds = :milliseconds
        WHERE environment = :env AND endpoint = :endpoint AND message = :message AND state <> 'delivered')
    UPDATE endpoints SET failing_since = NULL
    WHERE environment = :env AND id = :endpoint AND failing_since IS NOT NULL""")
FAILED = text("""
    WITH done AS (
        UPDATE deliveries SET state = CASE WHEN CAST(:due_at AS timestamptz) IS NULL THEN 'given_up' ELSE 'pending' END,
            due_at = :due_at, last_status = :status, last_error = :error,
            last_milliseconds = :milliseconds
        WHERE environment = :env AND endpoint = :endpoint AND message = :message
        AND state = 'sending' AND tries = :tries RETURNING 1)
    UPDATE endpoints SET failing_since = coalesce(failing_since, :claimed_at)
    WHERE environment = :env AND id = :endpoint AND EXISTS (SELECT 1 FROM done) RETURNING failing_since""")


class _Now(Protocol):
    def now(self) -> datetime: ...


class SqlOutgoing:
    """`governor.ports.messages.Outgoing` on PostgreSQL. `clock` tells governor's time: the database's, moved."""

    def __init__(self, engine: Engine, clock: _Now) -> None:
        self._engine = engine
        self._clock = clock

    def untold(self) -> tuple[str, ...]:
        """The environments whose trail has rows that the outside was not told of."""
        with _reachable(), self._engine.connect() as connection:
            return tuple(connection.scalars(UNTOLD))

    def untold_since(self, environment: str) -> datetime | None:
        """When the oldest thing happened that the outside was not told of; None when it was told everything."""
        with _reachable(), self._engine.connect() as connection:
            since: datetime | None = connection.scalar(UNTOLD_SINCE, {"env": environment})
        return since

    @contextmanager
    def trail(self, environment: str) -> Iterator[SqlTrail | None]:
        """The rows to be told, in one transaction; None while another process has them."""
        now = self._clock.now()
        with _reachable(), self._engine.begin() as connection:
            connection.execute(BEGIN_TELLING, {"env": environment})
            told_to = connection.scalar(TOLD_TO, {"env": environment})
            yield None if told_to is None else SqlTrail(connection, environment, told_to, now)

    def forget(self, before: datetime) -> int:
        """Remove the oldest messages from before then, some at a time, with their deliveries; returns how many.

        One that is still on its way to an endpoint that is open stays. Whoever tells an environment's endpoints, or forgets what they were told,
        holds its place in the trail, so that no two do.
        """
        with _reachable(), self._engine.connect() as connection:
            environments = [*connection.scalars(TELLING)]
        return sum(self._forget(environment, before) for environment in environments)

    def _forget(self, environment: str, before: datetime) -> int:
        with _reachable(), self._engine.begin() as connection:
            if connection.scalar(TOLD_TO, {"env": environment}) is None:
                return 0
            asked = {"env": environment, "before": before, "at_most": AT_ONCE}
            return connection.execute(FORGET, asked).rowcount

    def claim(self, *, at_most: int) -> tuple[Claimed, ...]:
        """Deliveries that are due, under a lease; of one endpoint only so many at a time."""
        now = self._clock.now()
        claimed: list[Claimed] = []
        with _reachable(), self._engine.begin() as connection:
            for row in records(connection, OPEN, now=now, beside=BESIDE):
                room = min(row["room"], at_most - len(claimed))
                claimed += _claimed(connection, row["endpoint"], now, room) if room else []
        return tuple(claimed)

    def delivered(self, claimed: Claimed, receipt: Receipt) -> None:
        """The endpoint took it, in whichever try, and so is not failing."""
        with _reachable(), self._engine.begin() as connection:
            connection.execute(DELIVERED, _outcome(claimed, receipt) | {"now": self._clock.now()})

    def failed(self, claimed: Claimed, receipt: Receipt, next_try_at: datetime | None) -> datetime | None:
        """It is tried again then, or given up. Returns since when the endpoint takes nothing.

        None when somebody else has the delivery by now, or it is delivered.
        """
        outcome = _outcome(claimed, receipt)
        outcome |= {"error": receipt.error, "due_at": next_try_at, "tries": claimed.tries}
        with _reachable(), self._engine.begin() as connection:
            since: datetime | None = connection.scalar(FAILED, outcome | {"claimed_at": claimed.claimed_at})
        return since


def _claimed(connection: Connection, row: rows.Row, now: datetime, room: int) -> list[Claimed]:
    """Up to `room` deliveries to the endpoint of this row."""
    endpoint, sealed = endpoint_from(row), sealed_from(row)
    asked = {"env": endpoint.environment, "endpoint": endpoint.id, "now": now, "until": now + LEASE}
    return [
        Claimed(endpoint, sealed, _message_from(one["message"]), one["tries"], now)
        for one in records(connection, CLAIM, **asked, at_most=room)
    ]


def _outcome(claimed: Claimed, receipt: Receipt) -> dict[str, Any]:
    return {
        "env": claimed.message.environment,
        "endpoint": claimed.endpoint.id,
        "message": claimed.message.id,
        "status": receipt.status,
        "milliseconds": receipt.milliseconds,
    }


def _message_from(row: rows.Row) -> Message:
    named = {name: row[name] for name in ("environment", "id", "seq", "type", "object")}
    return Message(**named, at=rows.instant(row["at"]))


@contextmanager
def _reachable() -> Iterator[None]:
    """A database that is away is something to wait for."""
    try:
        yield
    except (exc.DBAPIError, exc.TimeoutError) as error:
        raise Unavailable("database_unavailable", "The database cannot be reached.") from error
