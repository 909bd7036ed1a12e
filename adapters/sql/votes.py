"""How people decide, read from their votes (governor.ports.votes)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Engine, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.unit_of_work import answered
from governor.domain.approval import Choice
from governor.domain.decided import Decided
from governor.domain.pairs import Pair
from governor.ports.votes import VoteFilter

# A hold has the number of its request, which is how that is found. Whatever approves says how much. An approval stands
# that names what the hold shows last: one that was taken back or outdated does not. Approving less makes its own version.
PAIRS = text("""
    WITH said AS (
        SELECT r.person AS asker, v.person AS approver, r.currency, v.choice, v.amount,
            v.amount IS NOT NULL AND v.version + (v.choice = 'approve_less')::int = r.hold_version AS stands
        FROM votes v JOIN refund_requests r ON r.environment = v.environment AND r.id = 'rr_' || substr(v.hold, 6)
        WHERE v.environment = :env AND v.decided_at >= :since AND v.decided_at < :until),
    decided AS (
        SELECT asker, approver, currency,
            count(*) FILTER (WHERE stands) AS approved,
            count(*) FILTER (WHERE choice = 'reject') AS rejected,
            coalesce(sum(amount) FILTER (WHERE stands), 0)::bigint AS amount
        FROM said
        GROUP BY asker, approver, currency)
    SELECT asker, approver, sum(approved)::bigint AS approved, sum(rejected)::bigint AS rejected,
        jsonb_object_agg(currency, amount) FILTER (WHERE amount > 0) AS amounts
    FROM decided GROUP BY asker, approver ORDER BY asker, approver""")
DECIDED = text("""
    WITH said AS (
        SELECT *, lag(decided_at) OVER (PARTITION BY person ORDER BY decided_at, hold) AS before FROM votes
        WHERE environment = :env AND decided_at < :until
        AND decided_at >= CAST(:since AS timestamptz) - coalesce(CAST(:within AS interval), '0'))
    SELECT jsonb_build_object('request', r.id, 'asker', r.person, 'approver', v.person, 'choice', v.choice,
        'amount_minor', coalesce(v.amount, (seen.shown ->> 'amount')::bigint, r.amount), 'currency', r.currency,
        'stood_at', coalesce(h.replaced_at, r.created_at), 'decided_at', v.decided_at, 'before', v.before)
    FROM said v JOIN refund_requests r ON r.environment = v.environment AND r.id = 'rr_' || substr(v.hold, 6)
    LEFT JOIN hold_versions h ON h.environment = v.environment AND h.hold = v.hold AND h.version = v.version - 1
    LEFT JOIN hold_versions seen ON seen.environment = v.environment AND seen.hold = v.hold AND seen.version = v.version
    WHERE v.decided_at >= :since
    AND (CAST(:asker AS text) IS NULL OR r.person = :asker)
    AND (CAST(:approver AS text) IS NULL OR v.person = :approver)
    AND (CAST(:within AS interval) IS NULL OR (v.amount IS NOT NULL
        AND v.decided_at - greatest(coalesce(h.replaced_at, r.created_at), v.before) < :within))
    ORDER BY v.decided_at DESC, v.hold DESC LIMIT :at_most""")
"""`greatest` passes over NULL: who decided nothing before was busy with nothing else."""


class SqlVotes:
    """`governor.ports.votes.Votes` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def pairs(self, environment: str, since: datetime, until: datetime) -> tuple[Pair, ...]:
        """Added up by the person who asked and the person who decided."""
        asked = {"env": environment, "since": since, "until": until}
        with answered(), self._reading.connect() as connection:
            found = connection.execute(PAIRS, asked).all()
        return tuple(
            Pair(one.asker, one.approver, one.approved, one.rejected, one.amounts or {}) for one in found
        )

    def decided(
        self, environment: str, since: datetime, until: datetime, chosen: VoteFilter, *, at_most: int
    ) -> tuple[Decided, ...]:
        """The newest `at_most` of those that were chosen, newest first."""
        asked = {"env": environment, "since": since, "until": until, "at_most": at_most, **vars(chosen)}
        with answered(), self._reading.connect() as connection:
            return tuple(map(_decided_from, records(connection, DECIDED, **asked)))


def _decided_from(row: dict[str, Any]) -> Decided:
    times = {name: rows.instant(row[name]) for name in ("stood_at", "decided_at")}
    before = rows.instant(row["before"]) if row["before"] else None
    return Decided(**row | times | {"choice": Choice(row["choice"]), "before": before})
