"""`governor.ports.figures.Figures` on PostgreSQL: each a statement that reads an index from its end, and stops."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Engine, TextClause, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.unit_of_work import answered
from governor.domain.last_day import AskedCount
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome
from governor.domain.provider_health import CallCount, Calls
from governor.ports.figures import Depth

ASKED = text("""
    SELECT jsonb_build_object('hour', date_trunc('hour', created_at, 'UTC'), 'state', state, 'held', quorum > 0,
        'count', count(*))
    FROM (SELECT created_at, state, quorum FROM refund_requests WHERE environment = :env
        ORDER BY id DESC LIMIT :at_most) newest
    WHERE created_at >= :since GROUP BY date_trunc('hour', created_at, 'UTC'), state, quorum > 0""")
"""Ids go with time: the newest rows are read along the key, however long the past is."""

DEPTH = text("""
    SELECT jsonb_build_object('queued', (SELECT count(*) FROM (SELECT FROM refund_requests
            WHERE environment = :env AND state = 'queued' ORDER BY due_at LIMIT :counted) queued),
        'first_due_at', (SELECT min(due_at) FROM refund_requests WHERE environment = :env AND state = 'queued'),
        'sending', (SELECT count(*) FROM (SELECT FROM refund_requests
            WHERE environment = :env AND state = 'dispatching' ORDER BY lease_until LIMIT :counted) sending),
        'for_approval', count(*), 'oldest_asked_at', min(created_at))
    FROM (SELECT created_at FROM refund_requests
        WHERE environment = :env AND state = 'pending_approval' ORDER BY expires_at LIMIT :counted) asked""")
CALLS = text("""
    SELECT jsonb_build_object('outcome', outcome, 'reason', reason, 'count', count(*), 'first_at', min(recorded_at),
        'last_at', max(recorded_at))
    FROM (SELECT outcome, reason, recorded_at FROM evidence
        WHERE environment = :env AND source = 'reply' AND recorded_at >= :since
        ORDER BY recorded_at DESC LIMIT :at_most) newest
    GROUP BY outcome, reason ORDER BY count(*) DESC, outcome, reason""")
WEBHOOK_AT = text("""
    SELECT jsonb_build_object('at', (SELECT received_at FROM provider_events
        WHERE environment = :env AND via = 'webhook' ORDER BY received_at DESC LIMIT 1))""")


class SqlFigures:
    """Each look is a statement of its own."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def asked(self, environment: str, since: datetime, *, at_most: int) -> tuple[AskedCount, ...]:
        """What was asked for since then, of the newest `at_most` requests."""
        found = self._found(ASKED, env=environment, since=since, at_most=at_most)
        return tuple(
            AskedCount(rows.instant(row["hour"]), State(row["state"]), row["held"], row["count"])
            for row in found
        )

    def depth(self, environment: str, *, counted: int) -> Depth:
        """How much waits, and since when."""
        (row,) = self._found(DEPTH, env=environment, counted=counted)
        due, asked = rows.moment(row["first_due_at"]), rows.moment(row["oldest_asked_at"])
        return Depth(row["queued"], due, row["sending"], row["for_approval"], asked)

    def calls(self, environment: str, since: datetime, *, at_most: int) -> Calls:
        """How the refund calls ended, most frequent first."""
        found = self._found(CALLS, env=environment, since=since, at_most=at_most)
        counts = tuple(
            CallCount(Outcome(row["outcome"]), row["reason"], row["count"], rows.instant(row["last_at"]))
            for row in found
        )
        return Calls(counts, min((rows.instant(row["first_at"]) for row in found), default=None))

    def webhook_at(self, environment: str) -> datetime | None:
        """When the last webhook came."""
        (row,) = self._found(WEBHOOK_AT, env=environment)
        return rows.moment(row["at"])

    def _found(self, statement: TextClause, **asked: Any) -> list[dict[str, Any]]:  # noqa: ANN401  bind values
        with answered(), self._reading.connect() as connection:
            return records(connection, statement, **asked)
