"""Approval rules for stories, as an operator would write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from governor.domain.limits import Measure, Scope
from governor.domain.rules import Conditions, Consequence, Cumulative, Rule, RuleEffect, RuleMode
from governor.domain.windows import WindowKind
from governor.usecases.rule_drafts import RuleDraft
from tests.builders import World, fresh_key


def cumulative(
    at_least: int,
    *,
    scope: Scope = Scope.CUSTOMER,
    measure: Measure = Measure.AMOUNT,
    window: WindowKind = WindowKind.DAY,
    days: int | None = None,
    zone: str = "UTC",
) -> Cumulative:
    """What adds up to so much; of one customer within a day unless said otherwise."""
    return Cumulative(scope, measure, window, days, zone, at_least)


def rule_draft(
    effect: RuleEffect = RuleEffect.APPROVAL,
    *,
    name: str = "a rule",
    mode: RuleMode = RuleMode.ENFORCE,
    starts_at: datetime | None = None,
    quorum: int = 1,
    approvers: tuple[str, ...] | None = None,
    expires_seconds: int | None = None,
    **when: Any,
) -> RuleDraft:
    """A rule that fires for every request, but for its conditions in `when`."""
    then = Consequence(effect, quorum if effect is RuleEffect.APPROVAL else 0, approvers, expires_seconds)
    return RuleDraft(name, mode, starts_at, Conditions(**when), then)


def a_rule(world: World, effect: RuleEffect = RuleEffect.APPROVAL, **fields: Any) -> Rule:
    """A new rule of a world; `fields` as for `rule_draft`."""
    return world.app.rules.change.create(world.operator, rule_draft(effect, **fields), fresh_key("rule"))[0]


def idle_rule(world: World) -> Rule:
    """A rule that fires for nobody here; it takes the place of all others, since few are in force at once."""
    rules = world.app.rules
    for standing in rules.read.all(world.operator):
        rules.change.archive(world.operator, standing.id, standing.revision)
    return a_rule(world, RuleEffect.DENY, currency="jpy")
