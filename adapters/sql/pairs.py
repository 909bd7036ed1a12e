"""Who decided whose requests, added up in the database (governor.ports.pairs)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, text

from adapters.sql.unit_of_work import answered
from governor.domain.pairs import Pair

PAIRS = text("""
    WITH decided AS (
        SELECT r.person AS asker, v.person AS approver, r.currency,
            count(*) FILTER (WHERE v.choice IN ('approve', 'approve_less')) AS approved,
            count(*) FILTER (WHERE v.choice = 'reject') AS rejected,
            coalesce(sum(r.amount) FILTER (WHERE v.choice IN ('approve', 'approve_less')), 0)::bigint AS amount
        FROM votes v JOIN refund_requests r ON r.environment = v.environment AND r.hold = v.hold
        WHERE v.environment = :env AND v.decided_at >= :since AND v.decided_at < :until
        GROUP BY r.person, v.person, r.currency)
    SELECT asker, approver, sum(approved)::bigint AS approved, sum(rejected)::bigint AS rejected,
        jsonb_object_agg(currency, amount) FILTER (WHERE amount > 0) AS amounts
    FROM decided GROUP BY asker, approver ORDER BY asker, approver""")


class SqlPairs:
    """`governor.ports.pairs.Pairs` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def between(self, environment: str, since: datetime, until: datetime) -> tuple[Pair, ...]:
        """Of votes from `since` (inclusive) to `until` (exclusive), by asker and approver."""
        asked = {"env": environment, "since": since, "until": until}
        with answered(), self._reading.connect() as connection:
            found = connection.execute(PAIRS, asked).all()
        return tuple(
            Pair(one.asker, one.approver, one.approved, one.rejected, one.amounts or {}) for one in found
        )
