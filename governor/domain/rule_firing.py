"""Which rules fire for one request, and why (governor.domain.rules says what a rule is)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from governor.domain.credentials import Kind
from governor.domain.limit_lines import LimitLine
from governor.domain.limits import Measure
from governor.domain.quorum import Need
from governor.domain.rules import NOT_GIVEN, Cumulative, Rule, RuleEffect, RuleMode


@dataclass(frozen=True)
class Circumstances:
    """What rules look at. None: nobody knows. `tallies`: the arithmetic of every tally that the request charges."""

    amount_minor: int
    currency: str
    reason: str | None
    paid_at: datetime | None
    requester: Kind | None
    first_refund: bool | None
    tallies: tuple[LimitLine, ...]
    now: datetime


@dataclass(frozen=True)
class Ground:
    """One condition as a request met it. `holds` None: nobody knows. `line` is the sum behind a cumulative one."""

    condition: str
    holds: bool | None
    threshold: object
    this_request: object
    line: LimitLine | None = None


@dataclass(frozen=True)
class Fired:
    """A rule that fired, and why."""

    rule: Rule
    grounds: tuple[Ground, ...]

    @property
    def effect(self) -> RuleEffect:
        """What follows: approval, whatever the rule says, when nobody knows whether it applies."""
        known = all(ground.holds is not None for ground in self.grounds)
        return self.rule.then.effect if known else RuleEffect.APPROVAL

    @property
    def acts(self) -> bool:
        """Whether it is acted on, and not only recorded."""
        return self.rule.mode is RuleMode.ENFORCE

    @property
    def need(self) -> Need:
        """Whom it asks."""
        then = self.rule.then
        return Need(max(1, then.quorum), then.approvers, self.rule.id, then.expires_seconds)

    @property
    def frees_at(self) -> datetime | None:
        """When its sum starts over, if the same request is then under its threshold."""
        line, asked = self._sum, self.rule.when.cumulative
        return line.charge.span.end if line and asked and line.charge.amount < asked.at_least else None

    @property
    def gives_less(self) -> bool:
        """Whether a smaller amount is under one of its thresholds."""
        line, asked = self._sum, self.rule.when.cumulative
        by_sum = line and asked and asked.measure is Measure.AMOUNT and line.exposure + 1 < asked.at_least
        return (self.rule.when.amount_at_least or 0) > 1 or bool(by_sum)

    @property
    def _sum(self) -> LimitLine | None:
        return next((ground.line for ground in self.grounds if ground.line is not None), None)


def fired_rules(rules: Iterable[Rule], around: Circumstances) -> tuple[Fired, ...]:
    """The rules that fire, in the order of their ids."""
    looked_at = (_fired(rule, around) for rule in rules if rule.is_in_force(around.now))
    return tuple(sorted((one for one in looked_at if one is not None), key=lambda one: one.rule.id))


def _fired(rule: Rule, around: Circumstances) -> Fired | None:
    """The rule with its grounds; None as soon as one is known not to hold, for every admission looks at every rule."""
    grounds = []
    for ground in _grounds(rule, around):
        if ground.holds is False:
            return None
        grounds.append(ground)
    return Fired(rule, tuple(grounds))


def _grounds(rule: Rule, around: Circumstances) -> Iterator[Ground]:
    when = rule.when
    if when.currency is not None:
        yield Ground("currency", around.currency == when.currency, when.currency, around.currency)
    if (least := when.amount_at_least) is not None:
        yield Ground("amount", around.amount_minor >= least, least, around.amount_minor)
    if when.reasons:
        reason = around.reason or NOT_GIVEN
        yield Ground("reason", reason in when.reasons, list(when.reasons), reason)
    if (days := when.payment_days_at_least) is not None:
        age = None if around.paid_at is None else (around.now - around.paid_at).days
        yield Ground("payment_days", None if age is None else age >= days, days, age)
    if when.requester is not None:
        kind = around.requester
        yield Ground("requester", None if kind is None else kind is when.requester, when.requester, kind)
    if when.first_refund is not None:
        first = around.first_refund
        holds = None if first is None else first is when.first_refund
        yield Ground("first_refund", holds, when.first_refund, first)
    if when.hours is not None:
        yield Ground("hours", when.hours.has(around.now), None, None)
    if when.cumulative is not None:
        counted = (line for line in around.tallies if line.charge.limit.id == rule.tally)
        yield _cumulative(when.cumulative, counted)


def _cumulative(asked: Cumulative, counted: Iterable[LimitLine]) -> Ground:
    """The fullest of its counters decides: a child's credential charges its ancestors' too."""
    line = max(counted, key=lambda one: one.exposure, default=None)
    if line is None:
        return Ground("cumulative", None, asked.at_least, None)
    reached = line.exposure + line.charge.amount >= asked.at_least
    return Ground("cumulative", reached, asked.at_least, line.charge.amount, line)
