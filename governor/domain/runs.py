"""Runs: long work that somebody asks for, leaves, and comes back to.

A run has one asker and one result. Whoever carries it out holds a lease, says how far it has come, and starts over when
a process died over it: carrying out the same run twice does no more than once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from governor.domain.canonical import canonical_json
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Conflict, require


class RunState(StrEnum):
    """Where a run stands; the last four are for good."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


UNFINISHED = frozenset({RunState.WAITING, RunState.RUNNING})


class RunEvent(StrEnum):
    """What moves a run on."""

    BEGIN = "begin"
    PUT_BACK = "put_back"
    FINISH = "finish"
    FAIL = "fail"
    CANCEL = "cancel"
    INTERRUPT = "interrupt"


MOVES: Mapping[tuple[RunState, RunEvent], RunState] = MappingProxyType(
    {
        (RunState.WAITING, RunEvent.BEGIN): RunState.RUNNING,
        # Its lease ran out: somebody else begins anew.
        (RunState.RUNNING, RunEvent.BEGIN): RunState.RUNNING,
        (RunState.WAITING, RunEvent.CANCEL): RunState.CANCELED,
        (RunState.RUNNING, RunEvent.CANCEL): RunState.CANCELED,
        (RunState.RUNNING, RunEvent.PUT_BACK): RunState.WAITING,
        (RunState.RUNNING, RunEvent.FINISH): RunState.DONE,
        (RunState.RUNNING, RunEvent.FAIL): RunState.FAILED,
        (RunState.RUNNING, RunEvent.INTERRUPT): RunState.INTERRUPTED,
    }
)
"""What is not here does not happen."""

LEASE = timedelta(seconds=30)
"""How long a run belongs to a process that has said nothing: then it is begun anew."""

MOST_TRIES = 5
"""How often a run is begun: what a process dies of so often, it will die of again."""

MOST_UNFINISHED = 3
"""How many runs one person may have waiting or running in an environment."""

KEPT = timedelta(days=7)
"""How long a run and its result are kept after its end."""

MOST_STORED = 256 * 1024**2
"""Bytes that the files of one run may take, as they are stored."""

MOST_STORED_BY_ALL = 4 * MOST_STORED
"""Bytes that the files of all runs of an environment may take: beyond it, the oldest go first."""

MOST_SUMMARY = 64 * 1024
"""Bytes of canonical JSON that a run's parameters, or its summary, may have."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come: a step in words, and how much of it is done, of how much if that is known."""

    step: str | None = None
    done: int = 0
    total: int | None = None


@dataclass(frozen=True)
class RunFile:
    """A file that a run made: `size` in bytes, `sha256` of its content in hex."""

    name: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Run:
    """One piece of long work. Times are UTC; `asked_by` is a credential, `person` who answers for it.

    `due_at` is when it may be begun: while it runs, that is when its lease ends. `tries` is how often it was begun, and
    tells whoever holds the lease from those who held it before.
    """

    id: str
    environment: str
    kind: str
    parameters: Mapping[str, Any]
    state: RunState
    asked_by: str
    person: str
    asked_at: datetime
    due_at: datetime | None
    tries: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    progress: Progress = Progress()
    summary: Mapping[str, Any] | None = None
    files: tuple[RunFile, ...] = ()
    files_removed_at: datetime | None = None
    reason: str | None = None
    """The stable code of what went wrong."""

    @property
    def unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in UNFINISHED

    def moved(self, event: RunEvent) -> RunState:
        """The state after an event.

        Raises:
            Conflict: `run_ended`: nothing moves it any more, or not this.
        """
        after = MOVES.get((self.state, event))
        if after is None:
            raise Conflict("run_ended", f"This run is {self.state}.")
        return after

    def canceled(self, now: datetime) -> Run:
        """Stopped at once while it waits; while it runs, a wish that is met at its next step.

        Raises:
            Conflict: `run_ended`.
        """
        self.moved(RunEvent.CANCEL)
        wished = replace(self, cancel_requested_at=self.cancel_requested_at or now)
        return wished if self.state is RunState.RUNNING else wished.ended(RunEvent.CANCEL, now)

    def ended(
        self,
        event: RunEvent,
        now: datetime,
        *,
        reason: str | None = None,
        summary: Mapping[str, Any] | None = None,
        files: tuple[RunFile, ...] = (),
    ) -> Run:
        """At its end, with its result or the reason why there is none.

        Raises:
            Conflict: `run_ended`. InvariantBroken: the summary is none.
        """
        state = self.moved(event)
        size = 0 if summary is None else len(canonical_json(dict(summary)))
        require(size <= MOST_SUMMARY, "run_summary_too_large")
        return replace(
            self, state=state, due_at=None, ended_at=now, reason=reason, summary=summary, files=files
        )

    def seen_by(self, credential: Credential) -> bool:
        """Whether this credential may know of it: what it asked for itself, and all of them for whoever oversees.

        A person's other keys learn nothing of it: what an auditor asked for is not their program's to read.
        """
        return self.asked_by == credential.id or credential.role in OVERSEERS


OVERSEERS = frozenset({Role.OPERATOR, Role.AUDITOR})
"""Who sees every run of the environment."""
