"""`governor.ports.trail_care.TrailCares` on PostgreSQL: one row for each environment."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, TextClause, text

from adapters.sql import rows
from adapters.sql.execute import record
from adapters.sql.unit_of_work import answered
from governor.domain.trail import UNSEEN_WITHOUT_ANCHORS
from governor.domain.trail_care import Anchored, KeptIn, Verified

ANCHORED = text("""
    INSERT INTO trail_care (environment, anchored_seq, anchored_hash, anchored_at, anchored_in, anchored_key)
    VALUES (:env, :seq, :hash, :at, :kept_in, :key)
    ON CONFLICT (environment) DO UPDATE SET anchored_seq = excluded.anchored_seq,
        anchored_hash = excluded.anchored_hash, anchored_at = excluded.anchored_at,
        anchored_in = excluded.anchored_in, anchored_key = excluded.anchored_key
    WHERE trail_care.anchored_at IS NULL OR trail_care.anchored_at < excluded.anchored_at""")
VERIFIED = text("""
    INSERT INTO trail_care (environment, verified_first, verified_last, verified_at, verified_run, broken_code,
        broken_seq)
    VALUES (:env, :first, :last, :at, :run, :code, :seq)
    ON CONFLICT (environment) DO UPDATE SET verified_first = excluded.verified_first,
        verified_last = excluded.verified_last, verified_at = excluded.verified_at,
        verified_run = excluded.verified_run, broken_code = excluded.broken_code, broken_seq = excluded.broken_seq
    WHERE (trail_care.verified_at IS NULL OR trail_care.verified_at < excluded.verified_at)
    AND (trail_care.broken_seq IS NULL
        OR trail_care.broken_seq BETWEEN excluded.verified_first AND coalesce(excluded.broken_seq, excluded.verified_last)
        AND (:held OR trail_care.broken_code <> ALL(:unseen)))""")
"""A walk ends at its first break: it says nothing of what stands behind."""
CARE = text("SELECT to_jsonb(t) FROM trail_care t WHERE environment = :env")


class SqlTrailCares:
    """Each word is a statement of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def anchored(self, environment: str, said: Anchored) -> None:
        """The trail was anchored."""
        self._say(ANCHORED, env=environment, **vars(said))

    def verified(self, environment: str, said: Verified, *, held_to_anchors: bool) -> None:
        """The trail was verified; a break that is kept stays until its row was looked at again."""
        code, seq = said.broken or (None, None)
        told: dict[str, Any] = {"first": said.first, "last": said.last, "at": said.at, "run": said.run}
        told |= {"held": held_to_anchors, "unseen": [*UNSEEN_WITHOUT_ANCHORS]}
        self._say(VERIFIED, env=environment, code=code, seq=seq, **told)

    def of(self, environment: str) -> tuple[Anchored | None, Verified | None]:
        """What was last said; None for what never was."""
        with answered(), self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            row = record(connection, CARE, env=environment)
        return (None, None) if row is None else (_anchored(row), _verified(row))

    def _say(self, statement: TextClause, **said: Any) -> None:  # noqa: ANN401  bind values
        with answered(), self._engine.begin() as connection:
            # It waits for no standby: nobody decides anything by it.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            connection.execute(statement, said)


def _anchored(row: dict[str, Any]) -> Anchored | None:
    if row["anchored_at"] is None:
        return None
    return Anchored(
        row["anchored_seq"],
        row["anchored_hash"],
        rows.instant(row["anchored_at"]),
        KeptIn(row["anchored_in"]),
        row["anchored_key"],
    )


def _verified(row: dict[str, Any]) -> Verified | None:
    if row["verified_at"] is None:
        return None
    return Verified(
        row["verified_first"],
        row["verified_last"],
        rows.instant(row["verified_at"]),
        row["verified_run"],
        (row["broken_code"], row["broken_seq"]) if row["broken_code"] else None,
    )
