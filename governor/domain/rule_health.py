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
from governor.domain.rules import Effect, RuleMode

ALWAYS_PERCENT = 95
"""More of a rule's holds approved than this are as good as all."""
FEWEST_DECIDED = 10
"""Before so many were decided nothing is said of a habit."""

_UNDECIDED = {State.PENDING_APPROVAL, State.EXPIRED}


@dataclass(frozen=True)
class Hit:
    """A rule that fired for one request, and what became of that. Amount in minor units.

    `decided_at`: the last vote on its hold (UTC).
    """

    rule: str
    effect: Effect
    mode: RuleMode
    amount_minor: int
    currency: str
    state: State
    asked_at: datetime
    decided_at: datetime | None


@dataclass(frozen=True)
class RuleHealth:
    """What became of the requests for which a rule fired, of the `looked_at` newest requests since `since`.

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


def health_of(rule: str, since: datetime, looked_at: int, hits: Iterable[Hit]) -> RuleHealth:
    """The health of one rule; `hits` may be those of others, too."""
    mine = [one for one in hits if one.rule == rule]
    live = [one for one in mine if one.mode is RuleMode.ENFORCE]
    denied = [one for one in live if one.effect is Effect.DENY and one.state is State.DENIED]
    held = [one for one in live if one.effect is Effect.APPROVAL and one.state is not State.DENIED]
    decided = [one for one in held if one.decided_at is not None and one.state not in _UNDECIDED]
    rejected = [one for one in decided if one.state is State.REJECTED]
    times = [int((one.decided_at - one.asked_at).total_seconds()) for one in decided if one.decided_at]
    stake: Counter[str] = Counter()
    for one in mine:
        stake[one.currency] += one.amount_minor
    return RuleHealth(
        rule=rule,
        since=since,
        looked_at=looked_at,
        hits=len(mine),
        in_dry_run=len(mine) - len(live),
        denied=len(denied),
        held=len(held),
        waiting=sum(one.state is State.PENDING_APPROVAL for one in held),
        expired=sum(one.state is State.EXPIRED for one in held),
        approved=len(decided) - len(rejected),
        rejected=len(rejected),
        median_seconds=median_low(times) if times else None,
        at_stake=dict(sorted(stake.items())),
    )
