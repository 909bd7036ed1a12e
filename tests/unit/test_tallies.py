from dataclasses import replace

import pytest

from governor.domain.limits import NO_CAP, Limit, Measure, Scope
from governor.domain.rules import Cumulative, same_count, tally_of
from governor.domain.windows import WindowKind
from tests.unit.values import limit, rule

TALLY = limit(id="lim_t", scope=Scope.CUSTOMER, cap=NO_CAP, tally=True)
OF_CUSTOMER = Cumulative(Scope.CUSTOMER, Measure.AMOUNT, WindowKind.DAY, None, "UTC", 10_000)

#   a limit that might be the tally of a rule                    it counts the same
ALIKE: list[tuple[Limit, bool]] = [
    (TALLY,                                                      True),
    (replace(TALLY, tally=False),                                False),
    (replace(TALLY, archived=True),                              False),
    (replace(TALLY, scope=Scope.CASE),                           False),
    (replace(TALLY, currency="eur"),                             False),
    (replace(TALLY, measure=Measure.COUNT, currency=None),       False),
    (replace(TALLY, time_zone="Europe/Berlin"),                  False),
    (replace(TALLY, window=WindowKind.MONTH),                    False),
    (replace(TALLY, value="cus_1"),                              False),
]  # fmt: skip


@pytest.mark.parametrize(("tally", "alike"), ALIKE)
def test_rules_share_a_tally_only_when_it_counts_the_same(tally: Limit, alike: bool) -> None:
    counted = tally_of(rule(currency="usd", cumulative=OF_CUSTOMER), "lim_new")
    assert counted is not None
    assert same_count(counted, tally) is alike
    assert tally_of(rule(currency="usd"), "lim_new") is None
