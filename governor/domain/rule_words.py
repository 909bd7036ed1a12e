"""A rule in words, and a firing as everybody sees it and as the request keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from governor.domain.credentials import Kind
from governor.domain.limits import Measure, Scope
from governor.domain.money import Money, amount_text
from governor.domain.rule_firing import Fired, Ground
from governor.domain.rules import Conditions, Consequence, Cumulative, Hours, Rule, RuleEffect, Weekday
from governor.domain.windows import WindowKind


def words(rule: Rule) -> str:
    """What the rule says, as one sentence."""
    conditions = [*_conditions(rule.when)]
    subject = f"A refund {', '.join(conditions)}" if conditions else "Every refund"
    return f"{subject} {_consequence(rule.then)}."


def _conditions(when: Conditions) -> Iterator[str]:
    if when.amount_at_least is not None:
        yield f"of {_money(when.amount_at_least, when.currency)} or more"
    elif when.currency is not None:
        yield f"in {when.currency.upper()}"
    if when.reasons:
        yield f"for the reason {_either([reason.replace('_', ' ') for reason in when.reasons])}"
    if when.payment_days_at_least is not None:
        yield f"of a payment that is {when.payment_days_at_least} days old or older"
    if when.requester is not None:
        yield "asked for by " + ("a program" if when.requester is Kind.PROGRAM else "a person")
    if when.first_refund is not None:
        yield "to a customer who has had " + ("none before" if when.first_refund else "one before")
    if when.hours is not None:
        yield _hours(when.hours)
    if when.cumulative is not None:
        yield _cumulative(when.cumulative, when.currency)


_DAYS = dict(
    zip(Weekday, "Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays".split(), strict=True)
)


def _hours(hours: Hours) -> str:
    named = [_DAYS[day] for day in hours.weekdays]
    days = "" if len(named) == len(Weekday) else f" on {_either(named)}"
    return f"between {hours.begins:%H:%M} and {hours.ends:%H:%M}{days} ({hours.time_zone})"


def _cumulative(asked: Cumulative, currency: str | None) -> str:
    whose = "all" if asked.scope is Scope.ENVIRONMENT else f"those of one {asked.scope}"
    amount = asked.measure is Measure.AMOUNT
    much = _money(asked.at_least, currency) if amount else f"{asked.at_least} refunds"
    return f"once {whose} reach {much} {_window(asked)}"


def _window(asked: Cumulative) -> str:
    if asked.window is WindowKind.LIFETIME:
        return "ever"
    days = f"{asked.window_days} days" if asked.window is WindowKind.ROLLING else f"a {asked.window}"
    return f"within {days} ({asked.time_zone})"


def _consequence(then: Consequence) -> str:
    if then.effect is RuleEffect.ALLOW:
        return "is allowed"
    if then.effect is RuleEffect.DENY:
        return "is denied"
    people = f"{then.quorum} approver{'s' if then.quorum > 1 else ''}"
    named = f"{then.quorum} of {_either(then.approvers)}" if then.approvers else people
    within = "" if then.expires_seconds is None else f" within {_duration(then.expires_seconds)}"
    return f"needs {named}{within}"


def _duration(seconds: int) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds % length == 0 and seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} seconds"


def _either(said: Sequence[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def _money(minor: int, currency: str | None) -> str:
    return str(minor) if currency is None else amount_text(Money(minor, currency))


def shown_firings(fired: Iterable[Fired]) -> tuple[dict[str, Any], ...]:
    """The rules that fired with their arithmetic, as every surface shows them and as the request keeps them."""
    return tuple(_shown(one) for one in fired)


def _shown(fired: Fired) -> dict[str, Any]:
    rule = fired.rule
    return {
        "rule": rule.id,
        "revision": rule.revision,
        "name": rule.name,
        "words": words(rule),
        "effect": fired.effect.value,
        "mode": rule.mode.value,
        "why": [_why(ground) for ground in fired.grounds],
    }


def _why(ground: Ground) -> dict[str, Any]:
    """One condition: what it asks, what is so far, and what this request brings; `known` false: nobody knows."""
    line = ground.line
    return {
        "condition": ground.condition,
        "known": ground.holds is not None,
        "threshold": ground.threshold,
        "so_far": None if line is None else line.exposure,
        "this_request": ground.this_request,
        "measure": _measure(ground),
        "value": None if line is None else line.charge.key.value,
    }


def _measure(ground: Ground) -> str | None:
    """What the numbers of a condition are: amounts in minor units, a count of refunds, or no sums at all."""
    if ground.line is not None:
        return ground.line.charge.limit.measure.value
    return Measure.AMOUNT.value if ground.condition == "amount" else None
