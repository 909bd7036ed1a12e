from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.environments import Environment, Mode
from governor.domain.external import ExternalRefund, noticed, noticed_again
from governor.domain.lifecycle import Capacity
from governor.domain.limits import Measure, Scope
from tests.unit.values import NOON, limit, refund

#   status              its room
STATUSES = [
    ("pending",         Capacity.HELD),
    ("requires_action", Capacity.HELD),
    ("succeeded",       Capacity.SETTLED),
    ("failed",          Capacity.RELEASED),
    ("canceled",        Capacity.RELEASED),
    # What is not understood is not given out a second time.
    (None,              Capacity.HELD),
    ("of tomorrow",     Capacity.HELD),
]  # fmt: skip


def elsewhere(status: str | None = "succeeded") -> ExternalRefund:
    return noticed(refund(status, request_id=None), "cus_1", NOON)


@pytest.mark.parametrize(("status", "room"), STATUSES)
def test_a_refund_made_elsewhere_takes_room_unless_it_is_known_to_be_back(
    status: str | None, room: Capacity
) -> None:
    assert elsewhere(status).capacity is room


def test_it_happened_when_the_provider_says() -> None:
    an_hour_ago = NOON - timedelta(hours=1)
    assert noticed(refund(created_at=an_hour_ago), None, NOON).happened_at == an_hour_ago


def test_a_provider_whose_clock_is_ahead_makes_nothing_happen_tomorrow() -> None:
    assert noticed(refund(created_at=NOON + timedelta(days=1)), None, NOON).happened_at == NOON
    assert noticed(refund(created_at=None), None, NOON).happened_at == NOON


def test_an_older_look_that_comes_late_takes_nothing_back() -> None:
    failed = noticed_again(elsewhere("succeeded"), refund("failed"), NOON + timedelta(days=1))
    assert failed.capacity is Capacity.RELEASED
    assert noticed_again(failed, refund("succeeded"), NOON) is failed
    assert noticed_again(elsewhere("succeeded"), refund("pending"), NOON).capacity is Capacity.SETTLED


def test_a_refund_that_is_a_requests_after_all_takes_no_room_of_its_own() -> None:
    assert elsewhere().of_request("rr_1", NOON).capacity is Capacity.RELEASED


def test_it_is_charged_to_the_limits_of_its_payment_customer_and_environment_and_to_no_agent() -> None:
    limits = tuple(limit(id=f"lim_{scope}", scope=scope) for scope in Scope)
    charged = {charge.limit.scope for charge in elsewhere().charges("env", limits, NOON)}
    assert charged == {Scope.ENVIRONMENT, Scope.CUSTOMER, Scope.PAYMENT}
    unknown = replace(elsewhere(), payment=None, customer=None)
    assert {charge.limit.scope for charge in unknown.charges("env", limits, NOON)} == {Scope.ENVIRONMENT}


def test_it_counts_as_one_where_refunds_are_counted() -> None:
    count = limit(measure=Measure.COUNT)
    assert [charge.amount for charge in elsewhere().charges("env", (count,), NOON)] == [1]


def test_a_refund_of_the_second_in_which_an_environment_was_founded_happened_under_it() -> None:
    founded = NOON + timedelta(microseconds=400)
    environment = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, founded)
    assert elsewhere().happened_under(environment)
    assert not noticed(refund(created_at=NOON - timedelta(seconds=1)), None, NOON).happened_under(environment)
