"""What an operator asks of a rule, and whether it means something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from governor.domain.errors import invalid
from governor.domain.limits import Measure
from governor.domain.money import EXPONENTS, MAX_CAP, MAX_MINOR
from governor.domain.quorum import MOST_PEOPLE
from governor.domain.rule_form import then_form, when_form
from governor.domain.rules import (
    NOT_GIVEN,
    Conditions,
    Consequence,
    Cumulative,
    Hours,
    Rule,
    RuleEffect,
    RuleMode,
)
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind, zone

REASONS = ("duplicate", "fraudulent", "requested_by_customer", NOT_GIVEN)
"""What a rule may say of a reason: the provider's own, and that there was none."""
MOST_DAYS = 3650
"""The oldest that a rule can ask of a payment: providers refund nothing that is older."""
MOST_NAMED = 50
SHORTEST_EXPIRY, LONGEST_EXPIRY = 60, 30 * 86400
"""Seconds; as for an environment's own (0001_foundation.sql)."""


@dataclass(frozen=True)
class RuleDraft:
    """A rule without its place in history."""

    name: str
    mode: RuleMode
    starts_at: datetime | None
    when: Conditions
    then: Consequence

    def told(self) -> dict[str, Any]:
        """In the form of JSON, for the audit trail and, for good, for the fingerprint of its operation key."""
        return {
            "name": self.name,
            "mode": self.mode.value,
            "starts_at": None if self.starts_at is None else self.starts_at.isoformat(),
            "when": when_form(self.when),
            "then": then_form(self.then),
        }

    def check(self) -> None:
        """Refuse what means nothing, or names nothing.

        Raises:
            Invalid: with the field.
        """
        if not 1 <= len(self.name) <= 128 or not self.name.isprintable():
            raise invalid("/name", "name_malformed", "A name is 1 to 128 printable characters.")
        _check_amounts(self.when)
        _check_facts(self.when)
        if self.when.hours is not None:
            _check_hours(self.when.hours)
        if self.when.cumulative is not None:
            _check_cumulative(self.when.cumulative)
        _check_consequence(self.then)


def draft_of(rule: Rule) -> RuleDraft:
    """What a rule says at one revision."""
    return RuleDraft(rule.name, rule.mode, rule.starts_at, rule.when, rule.then)


def _check_amounts(when: Conditions) -> None:
    if when.currency is not None and when.currency not in EXPONENTS:
        raise invalid("/when/currency", "currency_unknown", "The currency is not one that Stripe refunds in.")
    if when.amount_at_least is not None and not 1 <= when.amount_at_least <= MAX_MINOR:
        detail = f"An amount is an integer from 1 to {MAX_MINOR}."
        raise invalid("/when/amount_at_least", "amount_out_of_range", detail)
    sums = when.cumulative is not None and when.cumulative.measure is Measure.AMOUNT
    if when.currency is None and (sums or when.amount_at_least is not None):
        raise invalid("/when/currency", "currency_and_measure", "An amount is of one currency: name it.")


def _check_facts(when: Conditions) -> None:
    if not set(when.reasons) <= set(REASONS) or len(set(when.reasons)) < len(when.reasons):
        raise invalid(
            "/when/reasons", "reason_unknown", f"A reason is one of {', '.join(REASONS)}, each once."
        )
    if when.payment_days_at_least is not None and not 0 <= when.payment_days_at_least <= MOST_DAYS:
        detail = f"A payment is 0 to {MOST_DAYS} days old."
        raise invalid("/when/payment_days_at_least", "days_out_of_range", detail)


def _check_hours(hours: Hours) -> None:
    if hours.begins == hours.ends:
        raise invalid("/when/hours/ends", "hours_empty", "They end at another time than they begin.")
    if not hours.weekdays or len(set(hours.weekdays)) < len(hours.weekdays):
        raise invalid("/when/hours/weekdays", "weekdays_unfit", "At least one day of the week, each once.")
    _check_zone("/when/hours/time_zone", hours.time_zone)


def _check_cumulative(asked: Cumulative) -> None:
    if asked.window is WindowKind.REQUEST:
        raise invalid("/when/cumulative/window", "window_unfit", "Nothing adds up in one request.")
    rolling = asked.window is WindowKind.ROLLING
    if rolling != (asked.window_days is not None) or not 1 <= (asked.window_days or 1) <= MAX_ROLLING_DAYS:
        detail = f"A rolling window has 1 to {MAX_ROLLING_DAYS} days, no other window has any."
        raise invalid("/when/cumulative/window_days", "window_days_unfit", detail)
    if not 1 <= asked.at_least <= MAX_CAP:
        detail = f"A threshold is an integer from 1 to {MAX_CAP}."
        raise invalid("/when/cumulative/at_least", "threshold_out_of_range", detail)
    _check_zone("/when/cumulative/time_zone", asked.time_zone)


def _check_zone(pointer: str, name: str) -> None:
    try:
        zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise invalid(pointer, "time_zone_unknown", "The time zone is not an IANA name.") from None


def _check_consequence(then: Consequence) -> None:
    if then.effect is not RuleEffect.APPROVAL:
        if (then.quorum, then.approvers, then.expires_seconds) != (0, None, None):
            detail = "Only an approval asks people, and gives them time."
            raise invalid("/then/effect", "consequence_unfit", detail)
        return
    if not 1 <= then.quorum <= MOST_PEOPLE:
        raise invalid("/then/quorum", "quorum_out_of_range", f"1 to {MOST_PEOPLE} people approve.")
    if then.expires_seconds is not None and not SHORTEST_EXPIRY <= then.expires_seconds <= LONGEST_EXPIRY:
        detail = f"People have {SHORTEST_EXPIRY} to {LONGEST_EXPIRY} seconds."
        raise invalid("/then/expires_seconds", "expiry_out_of_range", detail)
    if then.approvers is not None:
        _check_named(then.approvers, then.quorum)


def _check_named(people: Sequence[str], quorum: int) -> None:
    """A quorum that can never be met would hold money for nobody."""
    fit = all(1 <= len(person) <= 128 and person.isprintable() for person in people)
    if not fit or len(set(people)) < len(people) or not quorum <= len(people) <= MOST_NAMED:
        detail = f"At least as many different people as must approve, {MOST_NAMED} at most."
        raise invalid("/then/approvers", "approvers_unfit", detail)
