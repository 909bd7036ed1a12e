"""`governor.ports.queue.Queues` on PostgreSQL: what waits, sorted by what it waits for, and bounded."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.read_statements import NOT_FROZEN
from adapters.sql.unit_of_work import answered
from governor.domain.late_limits import NEEDS_CAPACITY
from governor.ports.queue import Heap, Queue, Waiting

QUEUE = text(f"""
    WITH waiting AS (
        SELECT r.id, to_jsonb(r) AS request, r.due_at AS at, CASE
            WHEN r.unproven <> '{{}}' AND r.last_reason = :why THEN 'parked'
            WHEN NOT {NOT_FROZEN} THEN 'frozen'
            WHEN EXISTS (SELECT 1 FROM refund_requests o WHERE o.environment = :env AND o.payment = r.payment
                AND o.state IN ('dispatching', 'unknown')) THEN 'behind'
            WHEN r.due_at > :now THEN 'later' ELSE 'ready' END AS heap
        FROM (SELECT * FROM refund_requests WHERE environment = :env AND state = 'queued'
            ORDER BY due_at LIMIT :counted) r
        UNION ALL SELECT l.id, to_jsonb(l), l.lease_until, 'leased'
        FROM (SELECT * FROM refund_requests WHERE environment = :env AND state = 'dispatching'
            ORDER BY lease_until LIMIT :counted) l),
    numbered AS (
        SELECT heap, request, row_number() OVER (PARTITION BY heap ORDER BY at, id) AS place,
            count(*) OVER (PARTITION BY heap) AS count FROM waiting)
    SELECT jsonb_build_object('heap', heap, 'count', count, 'request', request)
    FROM numbered WHERE place <= :shown ORDER BY heap, place""")  # noqa: S608  a constant
BELLS = text("""
    SELECT jsonb_build_object('count', count(*), 'next_at', min(due_at))
    FROM (SELECT due_at FROM outbox WHERE environment = :env ORDER BY due_at LIMIT :counted) one""")


class SqlQueues:
    """Each look is a statement of its own; nothing is locked."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def queue(self, environment: str, now: datetime, *, shown: int, counted: int) -> Queue:
        """As it stands at `now`."""
        asked = {"env": environment, "counted": counted}
        with answered(), self._reading.connect() as connection:
            found = records(connection, QUEUE, **asked, now=now, shown=shown, why=NEEDS_CAPACITY)
            bells = record(connection, BELLS, **asked) or {"count": 0, "next_at": None}
        heaps = {
            heap: Waiting(
                next(row["count"] for row in found if row["heap"] == heap),
                tuple(rows.request_from(row["request"]) for row in found if row["heap"] == heap),
            )
            for heap in Heap
            if any(row["heap"] == heap for row in found)
        }
        queued = sum(one.count for heap, one in heaps.items() if heap is not Heap.LEASED)
        next_at = None if bells["next_at"] is None else rows.instant(bells["next_at"])
        return Queue(heaps, bells["count"], next_at, is_whole=queued < counted)
