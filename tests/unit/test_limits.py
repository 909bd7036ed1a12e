from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.limit_lines import LimitLine, line_of
from governor.domain.limits import Charge, CounterKey, Limit, Measure, Scope, Usage, charges_for
from governor.domain.windows import BEGINNING, WindowKind
from tests.unit.values import NOON, SUBJECT, limit

MIDNIGHT = NOON.replace(hour=0)


def _charged(*limits: Limit, amount: int = 15) -> tuple[Charge, ...]:
    return charges_for(SUBJECT, amount, limits, NOON)


def _values(of: Limit) -> list[str]:
    return [charge.key.value for charge in _charged(of)]


#   scope                values that are counted together
VALUES = [
    (Scope.ENVIRONMENT, ["test"]),
    (Scope.CREDENTIAL,  ["cred_child", "cred_parent"]),
    (Scope.AGENT,       ["bot"]),
    (Scope.CUSTOMER,    ["cus_1"]),
    (Scope.PAYMENT,     ["pi_1"]),
    (Scope.CASE,        ["ZD-1"]),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "values"), VALUES)
def test_each_scope_counts_its_own_values(scope: Scope, values: list[str]) -> None:
    assert _values(limit(scope=scope)) == values


def test_every_scope_is_in_the_table() -> None:
    assert {scope for scope, _ in VALUES} == set(Scope)


@pytest.mark.parametrize(("scope", "missing"), [(Scope.CUSTOMER, "customer"), (Scope.CASE, "case")])
def test_what_a_request_does_not_have_is_not_limited_by_it(scope: Scope, missing: str) -> None:
    without = replace(SUBJECT, **{missing: None})  # type: ignore[arg-type]  # the names are checked by replace
    assert without.values(scope) == ()
    assert charges_for(without, 15, (limit(scope=scope), limit(scope=scope, value="x")), NOON) == ()


def test_a_named_value_counts_only_itself() -> None:
    assert _values(limit(scope=Scope.CUSTOMER, value="cus_1")) == ["cus_1"]
    assert _values(limit(scope=Scope.CUSTOMER, value="cus_2")) == []


@pytest.mark.parametrize("ancestor", ["cred_child", "cred_parent"])
def test_children_charge_a_limit_of_each_ancestor(ancestor: str) -> None:
    """Invariant 13: a sub-credential is no fresh allowance."""
    assert _values(limit(scope=Scope.CREDENTIAL, value=ancestor)) == [ancestor]
    assert _values(limit(scope=Scope.CREDENTIAL, value="cred_sibling")) == []


def test_a_limit_of_another_currency_or_an_archived_one_is_not_charged() -> None:
    assert _values(limit(currency="eur")) == []
    assert _values(limit(archived=True)) == []


def test_a_count_counts_requests_of_every_currency_as_one_each() -> None:
    counted = limit(measure=Measure.COUNT)
    (charge,) = _charged(counted, amount=9_999)
    assert (counted.currency, charge.amount) == (None, 1)


def test_an_amount_is_charged_as_it_is() -> None:
    (charge,) = _charged(limit(), amount=9_999)
    assert charge.amount == 9_999


def test_charges_come_in_one_order_whatever_the_order_of_the_limits() -> None:
    limits = [
        limit(id="lim_b", scope=Scope.CREDENTIAL),
        limit(id="lim_a", scope=Scope.CUSTOMER),
        limit(id="lim_c", window=WindowKind.MONTH),
        limit(id="lim_d", window=WindowKind.REQUEST),
    ]
    charges = _charged(*limits)
    assert [charge.key for charge in charges] == [
        CounterKey("lim_a", "cus_1", MIDNIGHT),
        CounterKey("lim_b", "cred_child", MIDNIGHT),
        CounterKey("lim_b", "cred_parent", MIDNIGHT),
        CounterKey("lim_c", "test", MIDNIGHT.replace(day=1)),
        CounterKey("lim_d", "test", BEGINNING),
    ]
    assert _charged(*reversed(limits)) == charges


@pytest.mark.parametrize("kind", WindowKind)
def test_only_a_window_of_one_request_occupies_no_counter(kind: WindowKind) -> None:
    days = 7 if kind is WindowKind.ROLLING else None
    (charge,) = _charged(limit(window=kind, window_days=days))
    assert charge.counted is (kind is not WindowKind.REQUEST)


def test_the_counter_is_that_of_the_limits_own_time_zone() -> None:
    (charge,) = _charged(limit(time_zone="Asia/Shanghai"))
    assert charge.key.window_start == MIDNIGHT - timedelta(hours=8)


def test_exposure_is_everything_that_is_taken() -> None:
    assert Usage(reserved=1, settled=20, earlier=300).exposure == 321


def test_a_charge_of_another_amount_is_of_the_same_counter() -> None:
    counted = limit(id="lim_2", measure=Measure.COUNT)
    amount, count = _charged(limit(), counted, amount=15)
    assert (amount.of(7), count.of(7)) == _charged(limit(), counted, amount=7)


#   limit                                             applies
APPLIES = [
    (limit(),                                         True),
    (limit(scope=Scope.CUSTOMER),                     True),
    (limit(scope=Scope.CUSTOMER, value="cus_1"),      True),
    (limit(scope=Scope.CUSTOMER, value="cus_2"),      False),
    (limit(measure=Measure.COUNT),                    True),
    (limit(currency="eur"),                           False),
    (limit(archived=True),                            False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "applies"), APPLIES)
def test_whether_a_limit_applies(one: Limit, applies: bool) -> None:
    assert one.applies_to(SUBJECT) is applies


def test_a_request_window_judges_each_request_by_itself() -> None:
    (charge,) = charges_for(SUBJECT, 100, (limit(window=WindowKind.REQUEST),), NOON)
    assert line_of(charge, {}) == LimitLine(charge, settled=0, reserved=0)
