"""What was said of limits and what is to come, and how much was taken of them window by window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.canonical import digest
from governor.domain.errors import NotFound
from governor.domain.limit_changes import LimitChange, Standing, series, standings, stood_at
from governor.domain.limits import Limit, step_at
from governor.domain.seen import AsSeen
from governor.ports.limits import LimitReads, WindowSum
from governor.ports.reads import Reads
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller, speaking

MOST_WINDOWS = 400


@dataclass(frozen=True)
class ShownChange:
    """A change, and where it stands now."""

    change: LimitChange
    standing: Standing


@dataclass(frozen=True)
class ExposurePoint:
    """What was taken of a limit in one window, and the cap that stood at the window's end (or stands now)."""

    sums: WindowSum
    window_end: datetime | None
    cap: int


@dataclass(frozen=True)
class LimitHistory:
    """Looking at limits over time, always within the caller's environment."""

    store: UnitOfWork

    def changes(self, caller: Caller, limit_id: str) -> tuple[ShownChange, ...]:
        """Everything that was said of a limit, newest first.

        Raises:
            NotFound: `limit_not_found`.
        """
        now = self.store.now()
        with self.store.reading() as reads:
            _existing(reads, caller, limit_id)
            said = reads.limit_changes(caller.environment, limit_id)
        where = standings(said, now)
        return tuple(ShownChange(one, where[one.id]) for one in reversed(said))

    def then(
        self, caller: Caller, at: datetime, *, after: str | None, at_most: int
    ) -> tuple[tuple[Limit, LimitChange], ...]:
        """The limits that bound at a moment, oldest first, each as it was then and with the change that made it so.

        So many at most, behind the one with the id `after`.
        """
        with self.store.reading() as reads:
            limits = reads.limits_then(caller.environment, at, after=after, at_most=at_most)
            said = defaultdict[str, list[LimitChange]](list)
            for one in reads.limit_changes_until(caller.environment, at, [limit.id for limit in limits]):
                said[one.limit].append(one)
        stood = ((limit, stood_at(said[limit.id], at)) for limit in limits)
        return tuple((_as_of(limit, change), change) for limit, change in stood if change is not None)

    def pending(self, caller: Caller) -> dict[str, tuple[ShownChange, ...]]:
        """By limit: what waits for a second person, for its time or for its end, oldest first."""
        with self.store.reading() as reads:
            return pending_in(reads, caller.environment, self.store.now())

    def pending_of(self, caller: Caller, limit: Limit) -> tuple[ShownChange, ...]:
        """What waits so of one limit."""
        with self.store.reading() as reads:
            found = pending_in(reads, caller.environment, self.store.now(), limit.id)
        return found.get(limit.id, ())

    def seen(self, caller: Caller, limit: Limit) -> AsSeen:
        """What whoever looks at a limit now sees of it."""
        return seen_of(limit, self.pending_of(caller, limit))

    def exposure(
        self, caller: Caller, limit_id: str, value: str | None = None, *, at_most: int = MOST_WINDOWS
    ) -> tuple[ExposurePoint, ...]:
        """What was taken of a limit (of one scope value, or of all together) window by window, newest first.

        Raises:
            NotFound: `limit_not_found`.
        """
        now = self.store.now()
        with self.store.reading() as reads:
            limit = _existing(reads, caller, limit_id)
            said = reads.limit_changes(caller.environment, limit_id)
            sums = reads.window_sums(caller.environment, limit_id, value, at_most=min(at_most, MOST_WINDOWS))
        return tuple(_point(limit, said, one, now) for one in sums)


def _as_of(limit: Limit, change: LimitChange) -> Limit:
    """The limit as a change had made it."""
    return replace(
        limit, cap=change.cap, approval_above=change.approval_above, change=change.id, archived=False
    )


def pending_in(
    reads: Reads, environment: str, now: datetime, limit_id: str | None = None
) -> dict[str, tuple[ShownChange, ...]]:
    """By limit, of all or of one: what waits for a second person, for its time or for its end at `now`, oldest first."""
    waiting = reads.open_limit_changes(environment, now, limit_id)
    limits = {one.limit: reads.limit_changes(environment, one.limit) for one in waiting}
    proposers = {one.proposed.credential for one in waiting if one.waits}
    heard = speaking(reads, environment, proposers, now)
    found: defaultdict[str, tuple[ShownChange, ...]] = defaultdict(tuple)
    for one in waiting:
        if one.waits and one.proposed.credential not in heard:
            continue
        standing = standings(limits[one.limit], now)[one.id]
        if standing is not Standing.PAST:
            found[one.limit] += (ShownChange(one, standing),)
    return found


def seen_of(limit: Limit, pending: Sequence[ShownChange]) -> AsSeen:
    """What is seen of a limit as it stands, with what is pending.

    Its revision does not tell apart what counts before and after a change begins or ends: nobody says these moments.
    """
    if not pending:
        return AsSeen(limit.revision)
    standing = [limit.change, *([one.change.id, one.standing] for one in pending)]
    return AsSeen(limit.revision, digest(standing).removeprefix("sha256:")[:12])


def _point(limit: Limit, said: tuple[LimitChange, ...], sums: WindowSum, now: datetime) -> ExposurePoint:
    end = limit.span_at(sums.window_start).end
    step = step_at(series(said, at := now if end is None else min(end, now)), at)
    return ExposurePoint(sums, end, step.cap if step is not None else limit.cap)


def _existing(reads: LimitReads, caller: Caller, limit_id: str) -> Limit:
    limit = reads.limit(caller.environment, limit_id)
    if limit is None:
        raise NotFound("limit_not_found", "There is no such limit.")
    return limit
