"""`governor.ports.processes.Processes` on PostgreSQL: one row for each process, written every ten seconds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, TextClause, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.unit_of_work import SqlUnitOfWork, answered
from governor.domain.processes import Process, ProcessKind, SeenProcess

PROCESS_BEAT = text("""
    INSERT INTO processes (id, kind, host, pid, version, started_at, seen_at)
    VALUES (:id, :kind, :host, :pid, :version, :started_at, :now)
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at""")
PROCESS_LEAVES = text("DELETE FROM processes WHERE id = :id")
PROCESSES_GONE = text("""
    DELETE FROM processes WHERE id IN (
        SELECT id FROM processes WHERE seen_at < :before FOR UPDATE SKIP LOCKED)""")
"""Processes that start together forget the same ones: none waits for another."""

PROCESSES = text("SELECT to_jsonb(p) FROM processes p ORDER BY seen_at DESC, id DESC LIMIT :at_most")


class SqlProcesses:
    """Each word is a statement of its own; nothing is locked for longer."""

    def __init__(self, engine: Engine, store: SqlUnitOfWork) -> None:
        self._engine = engine
        self._store = store

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        return self._store.now()

    def beat(self, process: Process, running: timedelta) -> None:
        """It lives, and has been running for so long."""
        now = self.now()
        said = vars(process) | {"kind": process.kind.value, "started_at": now - running, "now": now}
        self._say(PROCESS_BEAT, **said)

    def leave(self, process_id: str) -> None:
        """It stops, and is not to be missed."""
        self._say(PROCESS_LEAVES, id=process_id)

    def forget(self, before: datetime) -> None:
        """Of processes that were last seen before then nothing is kept."""
        self._say(PROCESSES_GONE, before=before)

    def seen(self, *, at_most: int) -> tuple[SeenProcess, ...]:
        """Those that have said that they live, the one seen last first."""
        with answered(), self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            return tuple(map(_seen, records(connection, PROCESSES, at_most=at_most)))

    def _say(self, statement: TextClause, **said: Any) -> None:  # noqa: ANN401  bind values
        with answered(), self._engine.begin() as connection:
            # It waits for no standby: nobody decides anything by it, and a word that is lost comes again.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            connection.execute(statement, said)


def _seen(row: rows.Row) -> SeenProcess:
    process = Process(row["id"], ProcessKind(row["kind"]), row["host"], row["pid"], row["version"])
    return SeenProcess(process, rows.instant(row["started_at"]), rows.instant(row["seen_at"]))
