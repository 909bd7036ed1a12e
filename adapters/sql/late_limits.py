"""Late limits in the database: what waits for a proof that it fits, and how its holds come to be where it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import as_json, records
from governor.domain.environments import Environment
from governor.domain.late_limits import NEEDS_CAPACITY
from governor.domain.limits import Charge, CounterKey
from governor.domain.requests import RefundRequest

_WAITING = "r.environment = :env AND r.unproven <> '{}' AND r.state IN ('queued', 'pending_approval')"
UNPROVEN = text(f"""
    SELECT k.n, CAST(sum(h.amount) AS bigint) AS held FROM refund_requests r
    JOIN jsonb_to_recordset(CAST(:rows AS jsonb)) AS k(n int, limit_id text, value text, since timestamptz,
        window_start timestamptz) ON k.limit_id = ANY(r.unproven)
    JOIN holds h ON h.environment = r.environment AND h.request = r.id
    CROSS JOIN LATERAL (SELECT 1 FROM counters x WHERE x.id = h.counter AND x.limit_id = k.limit_id
        AND x.value = k.value AND x.window_start BETWEEN k.since AND k.window_start LIMIT 1) c
    WHERE {_WAITING} GROUP BY k.n""")  # noqa: S608  a constant
"""As much as there is of it, through the index of what is unproven."""
REBOOK = text("""
    WITH moved AS (
        SELECT h.counter AS old, k.limit_id, k.value, k.window_start, h.amount
        FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS k(limit_id text, value text, window_start timestamptz)
        JOIN holds h ON h.environment = :env AND h.request = :request
        JOIN counters c ON c.id = h.counter AND c.limit_id = k.limit_id AND c.value = k.value
        WHERE c.window_start <> k.window_start),
    taken AS (
        INSERT INTO counters (environment, limit_id, value, window_start, reserved)
        SELECT :env, limit_id, value, window_start, amount FROM moved ORDER BY limit_id, value
        ON CONFLICT (environment, limit_id, value, window_start)
            DO UPDATE SET reserved = counters.reserved + excluded.reserved
        RETURNING id, limit_id, value),
    held AS (
        UPDATE holds h SET counter = t.id FROM moved m JOIN taken t USING (limit_id, value)
        WHERE h.environment = :env AND h.request = :request AND h.counter = m.old)
    UPDATE counters c SET reserved = c.reserved - m.amount FROM moved m WHERE c.id = m.old""")
PARKED = text(f"""
    SELECT to_jsonb(r) FROM refund_requests r WHERE {_WAITING} AND r.state = 'queued' AND r.last_reason = :why
    ORDER BY id LIMIT :at_most""")  # noqa: S608  a constant


class LateLimitWrites:
    """The part of `governor.ports.store.Transaction` that proves capacity to limits which came later."""

    _connection: Connection
    here: Environment
    now: datetime

    def unproven_exposure(self, charges: Iterable[Charge]) -> dict[CounterKey, int]:
        """What of each charged counter's window waiting requests hold that were not proven to fit under its limit."""
        keys = {charge.key: charge.span for charge in charges if charge.counted}
        asked = [
            {**rows.counter_row(key), "n": n, "since": span.since.isoformat()}
            for n, (key, span) in enumerate(keys.items())
        ]
        found = self._connection.execute(UNPROVEN, {"env": self.here.name, "rows": as_json(asked)})
        held = {row.n: row.held for row in found}
        return {key: held.get(n, 0) for n, key in enumerate(keys)}

    def rebook(self, request: str, charges: Sequence[Charge]) -> None:
        """Move what a request holds on these limits into the counters charged now, where they are other ones."""
        asked = as_json(rows.counter_row(charge.key) for charge in charges if charge.counted)
        self._connection.execute(REBOOK, {"env": self.here.name, "request": request, "rows": asked})

    def parked(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that wait for room under a limit that came later, oldest first."""
        asked = {"env": self.here.name, "why": NEEDS_CAPACITY, "at_most": at_most}
        return tuple(map(rows.request_from, records(self._connection, PARKED, **asked)))
