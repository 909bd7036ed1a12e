"""Amounts that look chosen to stay under what asks people."""

from datetime import timedelta
from typing import Any

import pytest

from governor.domain.limits import Limit, Measure
from governor.domain.rules import Rule, RuleEffect, RuleMode
from governor.domain.splits import JustUnder, Threshold, just_under, thresholds
from tests.unit.values import NOON, limit, request, rule

LARGE: dict[str, Any] = {"currency": "usd", "amount_at_least": 500}


# fmt: off
ASKING = [
    ([limit(approval_above=500)],                          [],                                   [Threshold(500, 500)]),
    ([limit(approval_above=None)],                         [],                                   []),
    ([limit(approval_above=500, currency="eur")],          [],                                   []),
    ([limit(approval_above=5, measure=Measure.COUNT)],     [],                                   []),
    ([], [rule(**LARGE)],                                                                        [Threshold(500, 499)]),
    ([], [rule(RuleEffect.DENY, **LARGE)],                                                           [Threshold(500, 499)]),
    ([], [rule(RuleEffect.ALLOW, **LARGE)],                                                          []),
    ([], [rule(mode=RuleMode.DRY_RUN, **LARGE)],                                                 []),
    ([], [rule(starts_at=NOON + timedelta(seconds=1), **LARGE)],                                 []),
    ([], [rule(archived=True, **LARGE)],                                                         []),
    ([], [rule(**(LARGE | {"currency": "eur"}))],                                                []),
    ([], [rule(currency="usd")],                                                                 []),
]
# fmt: on


@pytest.mark.parametrize(("limits", "rules", "expected"), ASKING)
def test_the_amounts_at_which_people_are_asked(
    limits: list[Limit], rules: list[Rule], expected: list[Threshold]
) -> None:
    assert list(thresholds(limits, rules, "usd", NOON)) == expected


@pytest.mark.parametrize(
    ("amounts", "count"),
    [
        ([450, 500], 2),
        ([449, 500], None),
        ([501, 500], None),
        ([499, 480, 451, 20], 3),
        ([500], None),
        ([], None),
    ],
)
def test_two_and_more_that_stay_just_under_one_of_them_are_counted(
    amounts: list[int], count: int | None
) -> None:
    together = [request(asked_amount_minor=amount) for amount in amounts]
    found = just_under(together, [Threshold(9000, 8999), Threshold(500, 500)])
    assert found == (None if count is None else JustUnder(500, count))


def test_without_a_threshold_nothing_stays_under_it() -> None:
    assert just_under([request(), request()], []) is None
