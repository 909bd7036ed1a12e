"""`governor.ports.approvals.Approvals` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, TextClause, text

from adapters.sql import rows
from adapters.sql.approvals import vote_from
from adapters.sql.execute import records
from adapters.sql.unit_of_work import answered
from governor.domain.approval import Vote
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.approvals import Decided, RecordLine

WAITING = text("""
    SELECT to_jsonb(w.request) FROM (
        SELECT r AS request, expires_at,
            EXISTS (SELECT FROM escalations e WHERE e.environment = r.environment AND e.hold = r.hold) AS is_escalated
        FROM refund_requests r WHERE environment = :env AND state = 'pending_approval' AND expires_at > :now
        ORDER BY is_escalated DESC, expires_at LIMIT :at_most) w
    ORDER BY is_escalated DESC, expires_at""")
"""Only what is shown is read whole."""
STILL_WAITING = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND id = ANY(:ids) AND state = 'pending_approval' AND expires_at > :now
    ORDER BY expires_at""")
VOTES_OF = text("""
    SELECT to_jsonb(v) FROM votes v WHERE environment = :env AND hold = ANY(:holds) ORDER BY decided_at""")
DECIDED_BY = text("""
    SELECT jsonb_build_object('vote', to_jsonb(v), 'request', r.request)
    FROM (SELECT * FROM votes x WHERE environment = :env AND person = :person
        AND (decided_at < :before OR CAST(:before AS timestamptz) IS NULL)
        ORDER BY decided_at DESC LIMIT :at_most) v
    CROSS JOIN LATERAL (SELECT to_jsonb(x) AS request FROM refund_requests x
        WHERE x.environment = :env AND x.id = 'rr_' || substr(v.hold, 6) LIMIT 1) r
    ORDER BY v.decided_at DESC""")
RECORD_OF = text("""
    SELECT jsonb_build_object('state', state, 'currency', currency, 'count', count(*), 'moved', sum(moved))
    FROM (SELECT state, currency, moved, created_at FROM refund_requests r
        WHERE environment = :env AND requested_by = :requester AND id <> :but
        ORDER BY id DESC LIMIT :at_most) newest
    WHERE created_at >= :since GROUP BY state, currency ORDER BY currency, state""")
OF_CUSTOMER = text("""
    SELECT to_jsonb(r) FROM (SELECT * FROM refund_requests
        WHERE environment = :env AND customer = :customer ORDER BY id DESC LIMIT :at_most) r
    WHERE created_at >= :since ORDER BY id DESC""")


class SqlApprovals:
    """Each look is a statement of its own; nothing is locked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    def _found(self, statement: TextClause, **asked: Any) -> list[dict[str, Any]]:  # noqa: ANN401  bind values
        with answered(), self._engine.connect() as connection:
            return records(connection, statement, **asked)

    def waiting(self, environment: str, now: datetime, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What still waits for approval at `now`: what was escalated, then the one that expires soonest."""
        return tuple(map(rows.request_from, self._found(WAITING, env=environment, now=now, at_most=at_most)))

    def still_waiting(
        self, environment: str, requests: Collection[str], now: datetime
    ) -> tuple[RefundRequest, ...]:
        """Those of these requests that still wait for approval at `now`, the one that expires soonest first."""
        asked = {"env": environment, "ids": sorted(requests), "now": now}
        return tuple(map(rows.request_from, self._found(STILL_WAITING, **asked)))

    def votes_of(
        self, environment: str, holds: Collection[str]
    ) -> dict[str, tuple[tuple[Vote, datetime], ...]]:
        """The decisions on each of these holds, oldest first."""
        votes: dict[str, tuple[tuple[Vote, datetime], ...]] = dict.fromkeys(holds, ())
        for row in self._found(VOTES_OF, env=environment, holds=sorted(holds)):
            said = vote_from(row), rows.instant(row["decided_at"])
            votes[row["hold"]] = (*votes[row["hold"]], said)
        return votes

    def decided_by(
        self, environment: str, person: str, *, before: datetime | None, at_most: int
    ) -> tuple[Decided, ...]:
        """What a person has said of holds, newest first; `before` is the time of the last one already seen."""
        found = self._found(DECIDED_BY, env=environment, person=person, before=before, at_most=at_most)
        return tuple(
            Decided(
                rows.request_from(row["request"]),
                vote_from(row["vote"]),
                rows.instant(row["vote"]["decided_at"]),
            )
            for row in found
        )

    def record_of(
        self, environment: str, requester: str, since: datetime, *, but: str, at_most: int
    ) -> tuple[RecordLine, ...]:
        """What became of the requests of a credential since then, `but` this one; of the newest `at_most`."""
        asked = {"env": environment, "requester": requester, "since": since, "but": but}
        return tuple(
            RecordLine(State(row["state"]), row["currency"], row["count"], int(row["moved"]))
            for row in self._found(RECORD_OF, **asked, at_most=at_most)
        )

    def of_customer(
        self, environment: str, customer: str, since: datetime, *, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """The requests for a customer's payments since then, newest first."""
        asked = {"env": environment, "customer": customer, "since": since, "at_most": at_most}
        return tuple(map(rows.request_from, self._found(OF_CUSTOMER, **asked)))
