"""`governor.ports.attention.Attentions` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, TextClause, text

from adapters.sql import rows
from adapters.sql.approvals import escalation_from
from adapters.sql.execute import record, records
from adapters.sql.transaction import SqlTransaction
from adapters.sql.unit_of_work import SqlUnitOfWork, answered
from governor.domain.attention import Attention, Looker

STANDS = """l.until > :now AND coalesce(l.since > (SELECT max(v.decided_at) FROM votes v
        WHERE v.environment = l.environment AND v.hold = l.hold AND v.person = l.person), true)"""
"""Whether somebody still looks: their time is not over, and they have not decided. Asked of each row by itself."""
OF_HOLDS = text(f"""
    SELECT jsonb_build_object('hold', h.hold, 'looker', to_jsonb(l), 'snoozed', s.until, 'escalations', e.found,
        'nudged', n.at)
    FROM unnest(CAST(:holds AS text[])) AS h(hold)
    LEFT JOIN lookers l ON l.environment = :env AND l.hold = h.hold AND {STANDS}
    LEFT JOIN snoozes s ON s.environment = :env AND s.hold = h.hold AND s.person = :person AND s.until > :now
    CROSS JOIN LATERAL (SELECT jsonb_agg(to_jsonb(x) ORDER BY x.at) AS found FROM escalations x
        WHERE x.environment = :env AND x.hold = h.hold) e
    CROSS JOIN LATERAL (SELECT max(a.at) AS at FROM audit a WHERE a.environment = :env
        AND a.object = 'rr_' || substr(h.hold, 6) AND a.action = 'refund_request.nudged') n
    WHERE l.hold IS NOT NULL OR s.hold IS NOT NULL OR e.found IS NOT NULL OR n.at IS NOT NULL""")  # noqa: S608  a constant
TAKE = text(f"""
    INSERT INTO lookers AS l (environment, hold, person, since, until) VALUES (:env, :hold, :person, :now, :until)
    ON CONFLICT (environment, hold) DO UPDATE
    SET person = excluded.person, since = excluded.since, until = excluded.until
    WHERE l.person = excluded.person OR NOT ({STANDS})
    RETURNING to_jsonb(l)""")  # noqa: S608  a constant
LOOKER = text("SELECT to_jsonb(l) FROM lookers l WHERE environment = :env AND hold = :hold")
LET_GO = text("DELETE FROM lookers WHERE environment = :env AND hold = :hold AND person = :person")
SNOOZE = text("""
    INSERT INTO snoozes (environment, hold, person, until) VALUES (:env, :hold, :person, :until)
    ON CONFLICT (environment, hold, person) DO UPDATE SET until = excluded.until""")
WAKE = text("DELETE FROM snoozes WHERE environment = :env AND hold = :hold AND person = :person")
# What is over means nothing. Whoever meets another one at it leaves that to them.
LOOKERS_OVER = text("""
    DELETE FROM lookers WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM lookers WHERE environment = :env AND until <= :now FOR UPDATE SKIP LOCKED))""")
SNOOZES_OVER = text("""
    DELETE FROM snoozes WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM snoozes WHERE environment = :env AND until <= :now FOR UPDATE SKIP LOCKED))""")


class SqlAttentions:
    """Each statement is a transaction of its own: nothing here is worth holding a lock for."""

    def __init__(self, engine: Engine, store: SqlUnitOfWork) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._store = store

    def environment(self, name: str) -> AbstractContextManager[SqlTransaction]:
        """A writing transaction of one environment."""
        return self._store.environment(name)

    def of_holds(
        self, environment: str, holds: Collection[str], person: str, now: datetime
    ) -> dict[str, Attention]:
        """What stands at `now` of each of these holds, by hold, with what this person has snoozed."""
        asked = {"env": environment, "holds": sorted(holds), "person": person, "now": now}
        with answered(), self._engine.connect() as connection:
            found = records(connection, OF_HOLDS, **asked)
        return {
            row["hold"]: Attention(
                _looker(row["looker"]) if row["looker"] else None,
                rows.moment(row["snoozed"]),
                tuple(map(escalation_from, row["escalations"] or ())),
                rows.moment(row["nudged"]),
            )
            for row in found
        }

    def look(self, environment: str, hold: str, looker: Looker, now: datetime) -> Looker:
        """Note that somebody looks from `now` on, unless somebody else does: who looks then."""
        asked = {"env": environment, "hold": hold, "now": now}
        with answered(), self._engine.connect() as connection:
            connection.execute(LOOKERS_OVER, {"env": environment, "now": now})
            found = None
            while found is None:  # who had it may let go before we see who they were
                found = record(connection, TAKE, **asked, **vars(looker)) or record(
                    connection, LOOKER, env=environment, hold=hold
                )
        return _looker(found)

    def let_go(self, environment: str, hold: str, person: str) -> None:
        """This person looks no more, if they did."""
        self._do((LET_GO, {"env": environment, "hold": hold, "person": person}))

    def snooze(self, environment: str, hold: str, person: str, until: datetime, now: datetime) -> None:
        """Snooze a hold for one person, whatever they had said before."""
        asked = {"env": environment, "hold": hold, "person": person, "until": until}
        self._do((SNOOZES_OVER, {"env": environment, "now": now}), (SNOOZE, asked))

    def wake(self, environment: str, hold: str, person: str) -> None:
        """This person has it snoozed no more."""
        self._do((WAKE, {"env": environment, "hold": hold, "person": person}))

    def _do(self, *statements: tuple[TextClause, dict[str, Any]]) -> None:
        with answered(), self._engine.connect() as connection:
            for statement, asked in statements:
                connection.execute(statement, asked)


def _looker(row: rows.Row) -> Looker:
    return Looker(row["person"], rows.instant(row["until"]))
