"""Several refunds that may be one that was split, so that nobody is asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.limits import Limit, Measure
from governor.domain.requests import RefundRequest
from governor.domain.rules import Rule, RuleEffect, RuleMode

_NEAR_PERCENT = 90
"""From how much of a threshold on an amount looks chosen to stay under it."""


@dataclass(frozen=True)
class Threshold:
    """An amount at which somebody is asked: `at_minor` as it was set, and the largest that asks nobody yet."""

    at_minor: int
    unasked_minor: int

    def is_just_under(self, amount_minor: int) -> bool:
        """Whether an amount stays under it by little."""
        return self.unasked_minor * _NEAR_PERCENT <= amount_minor * 100 and amount_minor <= self.unasked_minor


@dataclass(frozen=True)
class JustUnder:
    """So many requests stay just under one threshold (minor units)."""

    threshold_minor: int
    count: int


def thresholds(
    limits: Iterable[Limit], rules: Iterable[Rule], currency: str, now: datetime
) -> tuple[Threshold, ...]:
    """The amounts in this currency at which limits and rules ask people or refuse, in force at `now`."""
    of_limits = (
        Threshold(one.approval_above, one.approval_above)
        for one in limits
        if one.measure is Measure.AMOUNT and one.currency == currency and one.approval_above is not None
    )
    of_rules = (
        Threshold(one.when.amount_at_least, one.when.amount_at_least - 1)
        for one in rules
        if one.mode is RuleMode.ENFORCE and one.is_in_force(now) and one.then.effect is not RuleEffect.ALLOW
        if one.when.currency == currency and one.when.amount_at_least is not None
    )
    return (*of_limits, *of_rules)


def just_under(together: Sequence[RefundRequest], at: Iterable[Threshold]) -> JustUnder | None:
    """The threshold that most of these requests, all of one currency, stay just under; None when no two do."""
    counted = (
        JustUnder(one.at_minor, sum(one.is_just_under(request.asked_amount_minor) for request in together))
        for one in at
    )
    most = max(counted, key=lambda one: one.count, default=None)
    return most if most is not None and most.count > 1 else None
