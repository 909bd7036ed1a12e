"""Runs in the database, as whoever carries them out needs them (governor.ports.runs)."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, exc, text

from adapters.sql import run_statements as sql
from adapters.sql.execute import record, records
from adapters.sql.run_writes import run_from
from adapters.sql.transaction import SqlTransaction
from adapters.sql.unit_of_work import SqlUnitOfWork, answered, commit
from governor.domain.runs import KEPT, LEASE, MOST_STORED_BY_ALL, Progress, Run


class SqlRuns:
    """`governor.ports.runs.Runs` on PostgreSQL."""

    def __init__(self, engine: Engine, store: SqlUnitOfWork) -> None:
        self._engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._store = store

    def environment(self, name: str) -> AbstractContextManager[SqlTransaction]:
        """A writing transaction of one environment."""
        return self._store.environment(name)

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        return self._store.now()

    def find(self, environment: str, run_id: str) -> Run | None:
        """One run."""
        with answered(), self._reading.connect() as connection:
            row = record(connection, sql.RUN, env=environment, id=run_id)
        return run_from(row) if row else None

    def listed(
        self, environment: str, *, asked_by: str | None, kind: str | None, after: str | None, at_most: int
    ) -> tuple[Run, ...]:
        """Newest first, behind the run `after`; asked for by one credential, of one kind, or all."""
        asked = {"asked_by": asked_by, "kind": kind, "after": after, "at_most": at_most}
        with answered(), self._reading.connect() as connection:
            return tuple(map(run_from, records(connection, sql.RUNS, env=environment, **asked)))

    def claim(self, kinds: Collection[str]) -> Run | None:
        """Begin the run of one of these kinds that is due for longest; what earlier tries have written is gone."""
        now = self.now()
        with answered():
            try:
                row = self._claimed(kinds=sorted(kinds), now=now, until=now + LEASE)
            except exc.IntegrityError:
                row = None  # Somebody else has just begun one of the same kind there.
        if row is None:
            return None
        return run_from(row)

    def beat(self, run: Run, progress: Progress) -> Run | None:
        """Say how far it has come, and keep the lease."""
        said = {**_mine(run), **vars(progress), "until": self.now() + LEASE}
        with answered(), self._engine.begin() as connection:
            # It waits for no standby: a beat that is lost comes again.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            row = record(connection, sql.BEAT, **said)
        return run_from(row) if row else None

    def put_back(self, run: Run, due_at: datetime) -> bool:
        """Give the lease back: it may be begun anew from then on."""
        return self._do(sql.PUT_BACK, **_mine(run), due_at=due_at) == 1

    def add_part(self, run: Run, name: str, number: int, content: bytes) -> int | None:
        """The next part of a file; the bytes it takes as stored, None when the run is somebody else's by now."""
        stored = zlib.compress(content)
        written = self._do(sql.ADD_PART, **_mine(run), name=name, number=number, content=stored)
        return len(stored) if written else None

    def part(self, environment: str, run_id: str, name: str, number: int) -> bytes | None:
        """A part of a file."""
        asked = {"env": environment, "id": run_id, "name": name, "number": number}
        with answered(), self._reading.connect() as connection:
            stored: bytes | None = connection.scalar(sql.PART, asked)
        return None if stored is None else zlib.decompress(stored)

    def waits_since(self) -> datetime | None:
        """Since when a run could have been begun, and was not."""
        with answered(), self._reading.connect() as connection:
            found: datetime | None = connection.scalar(sql.WAITS_SINCE)
        return None if found is None or found > self.now() else found

    def tidy(self) -> int:
        """Forget runs that ended long ago, and the oldest files beyond what all may take."""
        now = self.now()
        self._do(sql.TOO_MUCH, now=now, most=MOST_STORED_BY_ALL)
        return self._do(sql.FORGET, before=now - KEPT)

    def _claimed(self, **asked: Any) -> dict[str, Any] | None:  # noqa: ANN401  bind values
        with self._committed() as connection:
            row = record(connection, sql.CLAIM, **asked)
            if row is not None:
                # A statement of its own, which sees what was written until the run became ours.
                connection.execute(sql.DROP_PARTS, {"env": row["environment"], "id": row["id"]})
        return row

    def _do(self, statement: TextClause, **parameters: Any) -> int:  # noqa: ANN401  bind values
        with answered(), self._committed() as connection:
            return connection.execute(statement, parameters).rowcount

    @contextmanager
    def _committed(self) -> Iterator[Connection]:
        """A transaction that is durable when the block is left without an exception."""
        with self._engine.connect() as connection:
            yield connection
            commit(connection)


def _mine(run: Run) -> dict[str, Any]:
    return {"env": run.environment, "id": run.id, "tries": run.tries}
