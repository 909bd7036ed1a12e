"""Carrying out runs: claim one, do its work under a lease, and say once how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from governor.domain.audit import Entry
from governor.domain.errors import GovernorError, Refused, Unavailable
from governor.domain.runs import MOST_TRIES, Run, RunEvent, RunState
from governor.ports.runs import Runs, RunTransaction
from governor.usecases.callers import Caller, recalled
from governor.usecases.carrying import Carrying, LeftError, Why
from governor.usecases.run_long_work import Work, Works

AGAIN = timedelta(seconds=30)
"""How long after something was away a run is begun anew; as much later each time."""


@dataclass(frozen=True)
class CarryOutRun:
    """What a runner does, over and over."""

    runs: Runs
    works: Works
    monotonic: Callable[[], float]

    def __call__(self, stopping: Callable[[], bool]) -> Run | None:
        """Carry out the run that is due for longest; how it stands then. None when none is due.

        When `stopping` says so it is left in the middle, for another process to begin anew.

        Raises:
            Unavailable: the database is away. Whatever the work raises that nobody expects; the run has failed then.
        """
        claimed = self.runs.claim(self.works)
        if claimed is None:
            return None
        work = self.works[claimed.kind]
        begun = self._begun(claimed, work)
        return begun if isinstance(begun, Run) else self._carried(claimed, work, begun, stopping)

    def _begun(self, run: Run, work: Work) -> Caller | Run:
        """Whoever asked, as they are now; or the run, which has ended instead of beginning."""
        with self.runs.environment(run.environment) as tx:
            standing = _mine(tx, run)
            if standing is None:
                return run
            if standing.cancel_requested_at is not None:
                return _end(tx, standing, RunEvent.CANCEL)
            if standing.tries > MOST_TRIES:
                return _end(tx, standing, RunEvent.INTERRUPT, reason="too_many_tries")
            try:
                return recalled(tx, standing.asked_by, standing.id, *work.roles)
            except Refused as error:
                return _end(tx, standing, RunEvent.FAIL, reason=error.code)

    def _carried(self, run: Run, work: Work, caller: Caller, stopping: Callable[[], bool]) -> Run:
        carrying = Carrying(self.runs, run, self.monotonic, stopping)
        try:
            with carrying.kept() as carried:
                summary = work.carry(caller, run.parameters, carried)
        except LeftError as left:
            return self._left(run, carrying, left.why)
        except Unavailable as error:
            if run.tries < MOST_TRIES:
                return self._put_back(run, AGAIN * run.tries)
            return self._ended(run, carrying, RunEvent.FAIL, reason=error.code)
        except GovernorError as error:
            return self._ended(run, carrying, RunEvent.FAIL, reason=error.code)
        except Exception:
            self._ended(run, carrying, RunEvent.FAIL, reason="internal_error")
            raise
        return self._ended(run, carrying, RunEvent.FINISH, summary=summary, files=carrying.files)

    def _left(self, run: Run, carrying: Carrying, why: Why) -> Run:
        match why:
            case Why.CANCELED:
                return self._ended(run, carrying, RunEvent.CANCEL)
            case Why.TOO_LONG:
                return self._ended(run, carrying, RunEvent.FAIL, reason="took_too_long")
            case Why.STOPPING:
                return self._put_back(run, timedelta(0))
            case Why.LOST:
                return run

    def _put_back(self, run: Run, later: timedelta) -> Run:
        due_at = self.runs.now() + later
        if not self.runs.put_back(run, due_at):
            return run  # Somebody else has begun it anew.
        return replace(run, state=run.moved(RunEvent.PUT_BACK), due_at=due_at)

    def _ended(self, run: Run, carrying: Carrying, event: RunEvent, **result: Any) -> Run:  # noqa: ANN401  as `Run.ended`
        with self.runs.environment(run.environment) as tx:
            standing = _mine(tx, run)
            if standing is None:
                return run  # Somebody else has begun it anew, and says how it ended.
            return _end(tx, replace(standing, progress=carrying.progress), event, **result)


def _mine(tx: RunTransaction, run: Run) -> Run | None:
    """The run as it stands; None when the lease is not this one's any more."""
    standing = tx.run(run.id)
    if standing is None or (standing.state, standing.tries) != (RunState.RUNNING, run.tries):
        return None
    return standing


def _end(tx: RunTransaction, run: Run, event: RunEvent, **result: Any) -> Run:  # noqa: ANN401  as `Run.ended`
    ended = run.ended(event, tx.now, **result)
    tx.save_run(ended)
    files = {file.name: file.sha256 for file in ended.files}
    told = {"state": ended.state.value, "reason": ended.reason, "files": files}
    tx.append_audit([Entry("governor", "run.ended", run.id, told)])
    return ended
