"""What a limit allows is a series of changes: the one that began last and is not over is the one that counts.

Nothing has to happen for a change to begin or to end: each decision looks at the series at the database's present.
A change that ends (`until`) gives way to what stands without it, and that is whatever was said last for good, also if it
was said meanwhile; a change for good outlives whatever began before it. So "raised until Friday, lowered on Wednesday" is
lowered from Wednesday on.

A change is a *raise* if, at any moment from now on, it allows more than would be allowed without it. Whether it is one is
asked of the whole series: a lasting cap below a raise that ends on Friday is a raise from Friday on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from governor.domain.errors import Conflict
from governor.domain.limits import Step, next_turn, step_at
from governor.domain.second_person import Word

MOST_TO_COME = 20
"""Changes of one limit that have not ended: every decision reads them."""


class Standing(StrEnum):
    """Where a change stands. TO_COME also says of what is covered now that it counts again."""

    PROPOSED = "proposed"
    TO_COME = "to_come"
    IN_FORCE = "in_force"
    PAST = "past"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class LimitChange:
    """What somebody wants a limit to allow from `effective_at` until `until` (None: for good), in UTC.

    `cap` and `approval_above` as the limit measures. `archives`: the limit shall bind nobody any more. `raises`: it
    allows more than would be allowed without it. `decided_at` is None while it waits for a second person, whose word is
    `confirmed`; where one person is enough it is decided as it is proposed.
    """

    id: str
    limit: str
    cap: int
    approval_above: int | None
    archives: bool
    raises: bool
    effective_at: datetime
    until: datetime | None
    proposed: Word
    decided_at: datetime | None
    confirmed: Word | None = None
    withdrawn: Word | None = None

    @property
    def waits(self) -> bool:
        """Whether it is no more than one person's word yet."""
        return self.decided_at is None and self.withdrawn is None

    @property
    def counts(self) -> bool:
        """Whether it is part of the series that decisions look at."""
        return self.decided_at is not None and self.withdrawn is None and not self.archives

    @property
    def step(self) -> Step:
        """As decisions look at it."""
        people = (self.proposed.person, *([self.confirmed.person] if self.confirmed else []))
        raised_by = people if self.raises else ()
        return Step(self.id, self.cap, self.approval_above, self.effective_at, self.until, raised_by)


def series(changes: Iterable[LimitChange], now: datetime) -> tuple[Step, ...]:
    """The steps that count at `now` or will, in the order in which they begin; of equals the newest word comes last.

    What began before the last one for good, and what is over, never counts again.
    """
    counting = sorted((one for one in changes if one.counts), key=_order)
    lasting = [one.effective_at for one in counting if one.until is None and one.effective_at <= now]
    first = max(lasting, default=None)
    return tuple(
        one.step
        for one in counting
        if (first is None or one.effective_at >= first) and (one.until is None or one.until > now)
    )


def refuse_crowd(steps: Sequence[Step], change: LimitChange, now: datetime) -> None:
    """Refuse one more change to come, or for a time, where there are many. What counts at once for good ends others.

    Raises:
        Conflict: `too_many_changes`.
    """
    if len(steps) >= MOST_TO_COME and (change.until is not None or change.effective_at > now):
        detail = f"A limit has {MOST_TO_COME} changes to come at most; withdraw some."
        raise Conflict("too_many_changes", detail)


def _order(change: LimitChange) -> tuple[datetime, datetime, str]:
    return change.effective_at, change.decided_at or change.effective_at, change.id


def with_step(steps: Sequence[Step], step: Step) -> tuple[Step, ...]:
    """The series with one more step, said last."""
    return tuple(sorted((*steps, step), key=lambda one: one.effective_at))


def allows_more(after: Sequence[Step], before: Sequence[Step], now: datetime) -> bool:
    """Whether, at any moment from `now` on, the one series allows more than the other."""
    at: datetime | None = now
    while at is not None:
        if _looser(step_at(after, at), step_at(before, at)):
            return True
        turns = [turn for turn in (next_turn(after, at), next_turn(before, at)) if turn is not None]
        at = min(turns, default=None)
    return False


def _looser(after: Step | None, before: Step | None) -> bool:
    if after is None or before is None:
        return before is not None
    if after.cap > before.cap:
        return True
    if before.approval_above is None:
        return False
    return after.approval_above is None or after.approval_above > before.approval_above


def standings(changes: Sequence[LimitChange], now: datetime) -> dict[str, Standing]:
    """Where each change of one limit stands at `now`."""
    steps = series(changes, now)
    standing, coming, at = step_at(steps, now), set[str](), next_turn(steps, now)
    while at is not None:
        step, at = step_at(steps, at), next_turn(steps, at)
        coming |= {step.change} if step is not None else set()
    return {one.id: _standing(one, standing.change if standing else None, coming) for one in changes}


def _standing(change: LimitChange, in_force: str | None, coming: set[str]) -> Standing:
    if change.withdrawn is not None:
        return Standing.WITHDRAWN
    if change.waits:
        return Standing.PROPOSED
    if change.id == in_force:
        return Standing.IN_FORCE
    return Standing.TO_COME if change.id in coming else Standing.PAST


def stood_at(changes: Iterable[LimitChange], at: datetime) -> LimitChange | None:
    """The change of one limit that counted at a moment, by what had been decided until then.

    What was withdrawn later counted still. None: the limit was not there yet, or bound nobody any more.
    """
    known = {
        one.id: one if one.withdrawn is None or one.withdrawn.at <= at else replace(one, withdrawn=None)
        for one in changes
        if one.decided_at is not None and one.decided_at <= at
    }
    if any(one.archives and one.withdrawn is None for one in known.values()):
        return None
    step = step_at(series(known.values(), at), at)
    return None if step is None else known[step.change]


def may_be_withdrawn(change: LimitChange, standing: Standing, now: datetime) -> bool:
    """Whether it can be taken back: a proposal, what is to come, or what is for a time. What counts for good is changed."""
    for_good = change.until is None and standing is not Standing.PROPOSED
    return standing not in {Standing.PAST, Standing.WITHDRAWN} and not (
        for_good and change.effective_at <= now
    )


def overtaken(proposal: LimitChange, changes: Iterable[LimitChange]) -> bool:
    """Whether somebody has changed the limit for good since the proposal: it was made of another limit then."""
    return any(
        one.counts
        and one.until is None
        and one.decided_at is not None
        and one.decided_at > proposal.proposed.at
        for one in changes
    )
