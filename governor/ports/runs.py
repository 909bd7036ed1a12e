"""Runs as the core needs them: asked for within an environment's line, carried out outside it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from governor.domain.runs import Progress, Run
from governor.ports.store import Transaction


class RunTransaction(Transaction, Protocol):
    """A writing transaction of one environment that can change its runs."""

    def add_run(self, run: Run) -> None:
        """A new run that waits."""
        ...

    def run(self, run_id: str) -> Run | None:
        """A run as it stands, kept as it is until the transaction ends."""
        ...

    def save_run(self, run: Run) -> None:
        """Where a run stands now, with its result."""
        ...

    def unfinished_runs(self, person: str) -> int:
        """How many runs of a person wait or run."""
        ...


class Runs(Protocol):
    """What is kept of runs. Whoever carries one out does so without the environment's line.

    Raises:
        Unavailable: `decision_not_recorded` from every method when the database could not do it.
    """

    def environment(self, name: str) -> AbstractContextManager[RunTransaction]:
        """As `UnitOfWork.environment`."""
        ...

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        ...

    def find(self, environment: str, run_id: str) -> Run | None:
        """One run."""
        ...

    def listed(
        self, environment: str, *, asked_by: str | None, kind: str | None, after: str | None, at_most: int
    ) -> tuple[Run, ...]:
        """Newest first, behind the run `after`; asked for by one credential, of one kind, or all."""
        ...

    def claim(self, kinds: Collection[str]) -> Run | None:
        """Begin the run of one of these kinds that is due for longest, under a lease; None when there is none.

        Of each kind an environment has one running at a time. What earlier tries of it have written is gone.
        """
        ...

    def beat(self, run: Run, progress: Progress) -> Run | None:
        """Say how far it has come, and keep the lease for LEASE more; None when it is somebody else's by now."""
        ...

    def put_back(self, run: Run, due_at: datetime) -> bool:
        """Give the lease back: it may be begun anew from then on. False when it is somebody else's by now."""
        ...

    def add_part(self, run: Run, name: str, number: int, content: bytes) -> int | None:
        """The next part of a file, from 0 on; the bytes it takes as stored, None when the run is somebody else's."""
        ...

    def part(self, environment: str, run_id: str, name: str, number: int) -> bytes | None:
        """A part of a file."""
        ...

    def waits_since(self) -> datetime | None:
        """Since when (UTC) the run that is due for longest could have been begun; None when none is due."""
        ...

    def tidy(self) -> int:
        """Forget runs that ended longer than KEPT ago, and the oldest files beyond MOST_STORED_BY_ALL.

        Returns how many runs were forgotten.
        """
        ...
