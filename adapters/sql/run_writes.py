"""What a transaction writes of runs, and how a run is spelled as a row."""

from __future__ import annotations

import json

from sqlalchemy import Connection

from adapters.sql import rows
from adapters.sql import run_statements as sql
from adapters.sql.execute import record
from governor.domain.environments import Environment
from governor.domain.runs import Progress, Run, RunFile, RunState


class RunWrites:
    """What `governor.ports.runs.RunTransaction` adds to a transaction, on one connection."""

    _connection: Connection
    here: Environment

    def add_run(self, run: Run) -> None:
        """A new run that waits."""
        asked = {
            name: getattr(run, name) for name in ("id", "kind", "asked_by", "person", "asked_at", "due_at")
        }
        asked |= {"env": self.here.name, "parameters": json.dumps(dict(run.parameters))}
        self._connection.execute(sql.ADD_RUN, asked)

    def run(self, run_id: str) -> Run | None:
        """A run as it stands, kept as it is until the transaction ends."""
        row = record(self._connection, sql.RUN_KEPT, env=self.here.name, id=run_id)
        return run_from(row) if row else None

    def save_run(self, run: Run) -> None:
        """Where a run stands now, with its result."""
        standing = {
            "env": self.here.name,
            "id": run.id,
            "state": run.state.value,
            "due_at": run.due_at,
            "ended_at": run.ended_at,
            "cancel_requested_at": run.cancel_requested_at,
            **vars(run.progress),
            "summary": None if run.summary is None else json.dumps(dict(run.summary)),
            "files": json.dumps([vars(file) for file in run.files]),
            "reason": run.reason,
        }
        self._connection.execute(sql.SAVE_RUN, standing)

    def unfinished_runs(self, person: str) -> int:
        """How many runs of a person wait or run."""
        asked = {"env": self.here.name, "person": person}
        found: int = self._connection.execute(sql.UNFINISHED, asked).scalar_one()
        return found


def run_from(row: rows.Row) -> Run:
    """A row of runs."""
    return Run(
        id=row["id"],
        environment=row["environment"],
        kind=row["kind"],
        parameters=row["parameters"],
        state=RunState(row["state"]),
        asked_by=row["asked_by"],
        person=row["person"],
        asked_at=rows.instant(row["asked_at"]),
        due_at=rows.moment(row["due_at"]),
        tries=row["tries"],
        started_at=rows.moment(row["started_at"]),
        ended_at=rows.moment(row["ended_at"]),
        cancel_requested_at=rows.moment(row["cancel_requested_at"]),
        progress=Progress(row["step"], row["done"], row["total"]),
        summary=row["summary"],
        files=tuple(RunFile(**file) for file in row["files"]),
        files_removed_at=rows.moment(row["files_removed_at"]),
        reason=row["reason"],
    )
