"""Long work that somebody asks for, leaves, and comes back to: begin it, look at it, cancel it, take its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from governor.domain.canonical import canonical_json
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Forbidden, NotFound, invalid
from governor.domain.runs import MOST_SUMMARY, MOST_UNFINISHED, OVERSEERS, Run, RunFile, RunState
from governor.ports.runs import Runs, RunTransaction
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.carrying import Carried
from governor.usecases.operations import earlier, remember

Json = dict[str, Any]
"""What is said as JSON."""


class Work(Protocol):
    """One kind of long work. Carrying it out twice must do no more than carrying it out once."""

    @property
    def roles(self) -> frozenset[Role]:
        """Who may ask for it; read again when it is carried out."""
        ...

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:
        """What is asked for, as JSON, with everything said that was left out: so that it never means something else.

        Raises:
            Invalid: a field that cannot be used.
        """
        ...

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """Do it for whoever asked, with what `read` gave; returns a summary as JSON."""
        ...


Works = Mapping[str, Work]
"""Kind → the work; nothing else knows the kinds."""


@dataclass(frozen=True)
class RunLongWork:
    """What people do with runs; workers carry them out (`carry_out_run`)."""

    runs: Runs
    ids: IdFactory
    works: Works

    def begin(self, caller: Caller, kind: str, parameters: Mapping[str, Any], key: str) -> tuple[Run, bool]:
        """Ask for a run; whether this key had asked before.

        Raises:
            Invalid: `/kind`, or a parameter that cannot be used. Forbidden: `role_not_allowed`.
            Conflict: `too_many_runs`, one's own wait.
        """
        work = self.works.get(kind)
        if work is None:
            known = ", ".join(sorted(self.works))
            raise invalid("/kind", "run_kind_unknown", f"A kind of run is one of {known}.")
        asked, scope = {"kind": kind, "parameters": dict(parameters)}, f"run:{caller.credential.id}"
        with self.runs.environment(caller.environment) as tx:
            rights(tx, caller, *work.roles)
            known_run = earlier(tx, scope, key, asked)
            if known_run is not None:
                return _existing(tx, known_run), True
            run = self._new(tx, caller, kind, work.read(parameters, tx.now))
            remember(tx, scope, key, asked, run.id)
        return run, False

    def _new(self, tx: RunTransaction, caller: Caller, kind: str, parameters: Json) -> Run:
        if len(canonical_json(parameters)) > MOST_SUMMARY:
            raise invalid("/parameters", "too_long", f"Parameters have {MOST_SUMMARY} bytes at most.")
        person = caller.credential.owner
        if tx.unfinished_runs(person) >= MOST_UNFINISHED:
            raise Conflict("too_many_runs", f"{MOST_UNFINISHED} of your runs are not done yet.")
        run = Run(
            id=self.ids.new("run"),
            environment=tx.here.name,
            kind=kind,
            parameters=parameters,
            state=RunState.WAITING,
            asked_by=caller.credential.id,
            person=person,
            asked_at=tx.now,
            due_at=tx.now,
        )
        tx.add_run(run)
        tx.append_audit([caller.entry("run.asked", run.id, {"kind": kind, "parameters": parameters})])
        return run

    def look(self, caller: Caller, run_id: str) -> Run:
        """One run as it stands.

        Raises:
            NotFound: `run_not_found`: there is none, or none that this caller may know of.
        """
        run = self.runs.find(caller.environment, run_id)
        if run is None or not run.seen_by(caller.credential):
            raise _no_run()
        return run

    def listed(
        self, caller: Caller, *, kind: str | None = None, after: str | None = None, at_most: int
    ) -> tuple[Run, ...]:
        """The runs that this caller may know of, newest first, behind the run `after`."""
        asked_by = None if caller.role in OVERSEERS else caller.credential.id
        return self.runs.listed(
            caller.environment, asked_by=asked_by, kind=kind, after=after, at_most=at_most
        )

    def cancel(self, caller: Caller, run_id: str) -> Run:
        """Stop it: at once while it waits, at its next step while it runs.

        Raises:
            NotFound: `run_not_found`. Conflict: `run_ended`. Forbidden: `role_not_allowed` for anybody but the
            person who asked, and operators.
        """
        with self.runs.environment(caller.environment) as tx:
            credential = rights(tx, caller, *Role)[0]
            before = tx.run(run_id)
            if before is None or not before.seen_by(credential):
                raise _no_run()
            if credential.owner != before.person and credential.role is not Role.OPERATOR:
                raise Forbidden("role_not_allowed", "This run is somebody else's to cancel.")
            if before.cancel_requested_at is not None and before.state is not RunState.WAITING:
                return before
            run = before.canceled(tx.now)
            tx.save_run(run)
            told = {"from": before.state.value, "to": run.state.value}
            tx.append_audit([caller.entry("run.cancel_requested", run.id, told)])
        return run

    def content(self, caller: Caller, run_id: str, name: str) -> tuple[RunFile, Iterator[bytes]]:
        """A file of a run, and its content as its reader takes it.

        Raises:
            NotFound: `run_not_found`, `run_file_not_found`: it made none of this name, or it was removed for room.
        """
        run = self.look(caller, run_id)
        file = next((one for one in run.files if one.name == name), None)
        if file is None or run.files_removed_at is not None:
            raise _no_file()
        return file, self._parts(run, file)

    def _parts(self, run: Run, file: RunFile) -> Iterator[bytes]:
        left, number = file.size, 0
        while left > 0:
            part = self.runs.part(run.environment, run.id, file.name, number)
            if part is None:
                raise _no_file()  # It was removed meanwhile: half of it must not look like the whole.
            yield part
            left -= len(part)
            number += 1


def _existing(tx: RunTransaction, run_id: str) -> Run:
    run = tx.run(run_id)
    if run is None:
        raise _no_run()
    return run


def _no_run() -> NotFound:
    return NotFound("run_not_found", "There is no such run.")


def _no_file() -> NotFound:
    return NotFound("run_file_not_found", "The run has no such file.")
