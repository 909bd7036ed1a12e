"""What a slip of the hand, or of the name, would make of a limit: what is told before it counts. Nothing is refused here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from governor.domain.credentials import Credential, Role
from governor.domain.delegation import living
from governor.domain.limits import Limit, Scope
from governor.usecases.change_limit import LimitDraft

MANY_TIMES = 10
"""A cap that grows so much is looked at once more: a digit too many makes it ten times as large."""


def times_as_much(before: int, after: int) -> int | None:
    """How many times as much a cap would allow, where that is a lot; None where it is not."""
    times = after // before if before else 0
    return times if times >= MANY_TIMES else None


def ever_narrower(draft: LimitDraft, limits: Iterable[Limit]) -> Limit | None:
    """The narrowest limit that counts all that this one would, over the same time, and stops it sooner; None of none."""
    same = (draft.measure, draft.currency, draft.window, draft.window_days, draft.time_zone)
    counting = [
        one
        for one in limits
        if (one.measure, one.currency, one.window, one.window_days, one.time_zone) == same
        and (one.scope is Scope.ENVIRONMENT or (one.scope, one.value) == (draft.scope, None))
        and one.cap <= draft.cap
    ]
    return min(counting, key=lambda one: one.cap, default=None)


def is_stranger(draft: LimitDraft, known: Sequence[Credential], now: datetime) -> bool:
    """Whether none of the `known` credentials that works at `now` is what it is for: an agent, or a key.

    Nobody knows all customers, payments and cases.
    """
    if draft.value is None or draft.scope not in {Scope.AGENT, Scope.CREDENTIAL}:
        return False
    works = living(known, now)
    agents = [one for one in known if one.role is Role.AGENT and one.id in works]
    return draft.value not in {one.agent if draft.scope is Scope.AGENT else one.id for one in agents}
