"""The rows of an audit trail that the outside was not told of (governor.ports.messages.Trail)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.endpoints import ENDPOINTS, endpoint_from
from adapters.sql.execute import as_json, records
from governor.checkpoint import checkpoint
from governor.domain.endpoints import Endpoint
from governor.domain.messages import Message
from governor.ports.messages import UntoldRow

AT_ONCE = 500
"""How many rows of a trail are told in one transaction, or messages forgotten."""
TRAIL_END = text("SELECT audit_seq FROM environments WHERE name = :env")
UNTOLD_ROWS = text("""
    SELECT to_jsonb(a) FROM audit a WHERE environment = :env AND seq > :after AND seq <= :last
    ORDER BY seq LIMIT :at_most""")
TELL = text("""
    WITH told AS (
        INSERT INTO messages SELECT * FROM jsonb_populate_recordset(NULL::messages, CAST(:messages AS jsonb))),
    sent AS (
        INSERT INTO deliveries (environment, endpoint, message, state, due_at, created_at)
        SELECT :env, d.endpoint, d.message, 'pending', :now, :now
        FROM jsonb_to_recordset(CAST(:deliveries AS jsonb)) AS d(endpoint text, message text)
        JOIN endpoints e ON e.environment = :env AND e.id = d.endpoint
        WHERE e.disabled_at IS NULL AND e.deleted_at IS NULL FOR SHARE OF e)
    UPDATE tellings SET seq = :seq WHERE environment = :env""")
"""An endpoint that was closed since it was read gets nothing; who closes it from here on gives up what is written here."""
PASS_OVER = text("INSERT INTO passed_over (environment, seq, at, error) VALUES (:env, :seq, :now, :error)")


class SqlTrail:
    """`governor.ports.messages.Trail` in one transaction, which holds the environment's place in its trail."""

    def __init__(self, connection: Connection, environment: str, told_to: int, now: datetime) -> None:
        self._connection, self._environment, self._now = connection, environment, now
        # First where the trail ends, then the endpoints: one that is not seen now was created behind that end.
        last = connection.scalar(TRAIL_END, {"env": environment})
        self.endpoints = tuple(map(endpoint_from, records(connection, ENDPOINTS, env=environment)))
        self.rows: tuple[UntoldRow, ...] = ()
        if self.endpoints:
            asked = {"env": environment, "after": told_to, "last": last, "at_most": AT_ONCE}
            self.rows = tuple(
                UntoldRow(row["seq"], partial(rows.sealed_from, row, rows.instant))
                for row in records(connection, UNTOLD_ROWS, **asked)
            )
        elif last is not None and last > told_to:
            # Nobody listens: what happened is told to nobody, and need not be read.
            self.tell((), last)

    def pass_over(self, seq: int, error: str) -> None:
        """Keep that nobody could be told of row `seq`, and the type of the exception that says why."""
        asked = {"env": self._environment, "seq": seq, "now": self._now, "error": error}
        self._connection.execute(PASS_OVER, asked)

    def tell(self, messages: Sequence[tuple[Message, Sequence[Endpoint]]], seq: int) -> None:
        """Write messages with a delivery for each endpoint that wants them and is open; the outside is told up to `seq`."""
        wanted = [(message, endpoints) for message, endpoints in messages if endpoints]
        self._connection.execute(
            TELL,
            {
                "env": self._environment,
                "messages": as_json(vars(one) | {"at": one.at.isoformat()} for one, _ in wanted),
                "deliveries": as_json(
                    {"endpoint": endpoint.id, "message": message.id}
                    for message, endpoints in wanted
                    for endpoint in endpoints
                ),
                "seq": seq,
                "now": self._now,
            },
        )
        checkpoint("tell.written")
