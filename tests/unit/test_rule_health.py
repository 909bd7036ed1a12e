from dataclasses import replace

import pytest

from governor.domain.lifecycle import State
from governor.domain.rule_health import FEWEST_DECIDED, Hits, health_of
from governor.domain.rules import RuleEffect, RuleMode
from tests.unit.values import NOON

HIT = Hits("rule_1", RuleEffect.APPROVAL, RuleMode.ENFORCE, "usd", State.SUCCEEDED, 1, 100, (60,))


def test_what_became_of_a_rules_hits_is_told_apart() -> None:
    hits = [
        HIT,
        replace(HIT, state=State.QUEUED, count=2, seconds=(10, 61), amount_minor=5),
        replace(HIT, state=State.REJECTED, seconds=(200,), currency="eur"),
        replace(HIT, state=State.PENDING_APPROVAL, seconds=(0,)),
        replace(HIT, state=State.EXPIRED, seconds=()),
        # Taken back before anybody had said anything.
        replace(HIT, state=State.CANCELED, seconds=()),
        replace(HIT, effect=RuleEffect.DENY, state=State.DENIED, seconds=()),
        replace(HIT, mode=RuleMode.DRY_RUN),
        # A limit had no room: the rule would have asked, and nobody was.
        replace(HIT, state=State.DENIED, seconds=()),
        replace(HIT, rule="rule_2"),
    ]
    found = health_of("rule_1", NOON, 500, hits)
    assert (found.looked_at, found.hits, found.in_dry_run, found.denied) == (500, 10, 1, 1)
    assert (found.held, found.waiting, found.expired) == (7, 1, 1)
    assert (found.approved, found.rejected, found.approved_percent) == (3, 1, 75)
    assert found.median_seconds == 60
    assert found.at_stake == {"eur": 100, "usd": 705}
    assert not found.never_fired


#   approved   rejected   always
HABITS = [
    (FEWEST_DECIDED, 0, True),
    (FEWEST_DECIDED - 1, 0, False),
    (96, 4, True),
    (95, 5, False),
]


@pytest.mark.parametrize(("approved", "rejected", "always"), HABITS)
def test_a_rule_whose_holds_are_approved_by_habit_is_named(
    approved: int, rejected: int, always: bool
) -> None:
    hits = [
        replace(HIT, count=approved, seconds=(60,) * approved),
        replace(HIT, state=State.REJECTED, count=rejected, seconds=(60,) * rejected),
    ]
    assert health_of("rule_1", NOON, 1000, hits).always_approved is always


def test_a_rule_that_never_fired_has_decided_nothing() -> None:
    found = health_of("rule_3", NOON, 7, [HIT])
    assert (found.never_fired, found.approved_percent, found.median_seconds, found.at_stake) == (
        True,
        None,
        None,
        {},
    )
