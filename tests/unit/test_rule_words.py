from datetime import time

import pytest

from governor.domain.credentials import Kind
from governor.domain.limits import Measure, Scope
from governor.domain.rule_form import then_form, then_from, when_form, when_from
from governor.domain.rule_words import words
from governor.domain.rules import NOT_GIVEN, Cumulative, Hours, Rule, RuleEffect, Weekday
from governor.domain.windows import WindowKind
from tests.unit.values import rule

EVERYTHING = rule(
    quorum=2,
    approvers=("ana", "ben", "cem"),
    expires_seconds=7200,
    currency="usd",
    amount_at_least=50_000,
    reasons=("fraudulent", NOT_GIVEN),
    payment_days_at_least=60,
    requester=Kind.PROGRAM,
    first_refund=True,
    hours=Hours(time(18), time(8), (Weekday.SAT, Weekday.SUN), "Europe/Berlin"),
    cumulative=Cumulative(Scope.CUSTOMER, Measure.AMOUNT, WindowKind.ROLLING, 7, "UTC", 10_000),
)
SAID = (
    "A refund of 500.00 USD or more, for the reason fraudulent or not given, of a payment that is 60 days old or older,"
    " asked for by a program, to a customer who has had none before, between 18:00 and 08:00 on Saturdays or Sundays"
    " (Europe/Berlin), once those of one customer reach 100.00 USD within 7 days (UTC) needs 2 of ana, ben or cem within"
    " 2 hours."
)


def test_a_rule_is_said_in_words() -> None:
    assert words(EVERYTHING) == SAID
    assert words(rule(RuleEffect.DENY)) == "Every refund is denied."
    assert words(rule(quorum=2, currency="jpy", amount_at_least=500)) == (
        "A refund of 500 JPY or more needs 2 approvers."
    )


@pytest.mark.parametrize(
    "one", [EVERYTHING, rule(RuleEffect.DENY), rule(RuleEffect.ALLOW, first_refund=False)]
)
def test_a_rule_is_the_same_after_it_was_written_down(one: Rule) -> None:
    assert when_from(when_form(one.when)) == one.when
    assert then_from(then_form(one.then)) == one.then
