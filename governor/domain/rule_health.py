"""How a rule does: how often it fires, what people make of what it holds, and how much money is at stake.

One that never fires is dead weight; one whose holds are nearly all approved teaches people to stop reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median_low

from governor.domain.lifecycle import State
from governor.domain.rules import RuleEffect, RuleMode

ALWAYS_PERCENT = 95
"""More of a rule's holds approved than this are as good as all."""
FEWEST_DECIDED = 10
"""Before so many were decided nothing is said of a habit."""

_UNDECIDED = {State.PENDING_APPROVAL, State.EXPIRED}


@dataclass(frozen=True)
class Hits:
    """Requests for which a rule fired, and of which the same became: so many, and minor units in all.

    `seconds`: of each on whose hold somebody has voted, from when it was asked for to the last vote.
    """

    rule: str
    effect: RuleEffect
    mode: RuleMode
    currency: str
    state: State
    count: int
    amount_minor: int
    seconds: tuple[int, ...]


@dataclass(frozen=True)
class RuleHealth:
    """What became of the requests for which a rule fired, of the `looked_at` that were made since `since`.

    `held` are those that it held or helped to hold; some of them wait, have expired, or were taken back.
    `at_stake`: minor units by currency.
    """

    rule: str
    since: datetime
    looked_at: int
    hits: int
    in_dry_run: int
    denied: int
    held: int
    waiting: int
    expired: int
    approved: int
    rejected: int
    median_seconds: int | None
    """From the request to its last vote."""
    at_stake: dict[str, int]

    @property
    def approved_percent(self) -> int | None:
        """Of those that people decided; None before they decided any."""
        decided = self.approved + self.rejected
        return None if decided == 0 else self.approved * 100 // decided

    @property
    def never_fired(self) -> bool:
        """Whether it fired for none of them, not even in dry run."""
        return self.hits == 0

    @property
    def always_approved(self) -> bool:
        """Whether people approve what it holds out of habit."""
        decided = self.approved + self.rejected
        return decided >= FEWEST_DECIDED and self.approved * 100 > ALWAYS_PERCENT * decided


def health_of(rule: str, since: datetime, looked_at: int, hits: Iterable[Hits]) -> RuleHealth:
    """The health of one rule; `hits` may be those of others, too."""
    mine = [one for one in hits if one.rule == rule]
    live = [one for one in mine if one.mode is RuleMode.ENFORCE]
    denied = [one for one in live if one.effect is RuleEffect.DENY and one.state is State.DENIED]
    held = [one for one in live if one.effect is RuleEffect.APPROVAL and one.state is not State.DENIED]
    decided = [one for one in held if one.state not in _UNDECIDED]
    times = [seconds for one in decided for seconds in one.seconds]
    rejected = sum(len(one.seconds) for one in decided if one.state is State.REJECTED)
    stake: Counter[str] = Counter()
    for one in mine:
        stake[one.currency] += one.amount_minor
    return RuleHealth(
        rule=rule,
        since=since,
        looked_at=looked_at,
        hits=_count(mine),
        in_dry_run=_count(mine) - _count(live),
        denied=_count(denied),
        held=_count(held),
        waiting=_count(one for one in held if one.state is State.PENDING_APPROVAL),
        expired=_count(one for one in held if one.state is State.EXPIRED),
        approved=len(times) - rejected,
        rejected=rejected,
        median_seconds=median_low(times) if times else None,
        at_stake=dict(sorted(stake.items())),
    )


def _count(hits: Iterable[Hits]) -> int:
    return sum(one.count for one in hits)
