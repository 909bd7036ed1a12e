"""Refunds that governor did not make: they take room as its own do, once, and never pass for one of its own."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.windows import WindowKind
from governor.usecases.see_refunds import see_payments
from tests.builders import World, ask
from tests.fakes.provider import FakeProvider
from tests.twin import Twin


def externals(world: World) -> list[dict[str, Any]]:
    """All that is kept of refunds made elsewhere."""
    with world.app.store.reading() as reads:
        kept = reads.list_external_refunds(world.environment, after=None, at_most=100)
    return [vars(one) | {"capacity": one.capacity.value} for one in kept]


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def here(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider)


def test_a_dashboard_refund_takes_the_room_of_every_limit_that_it_falls_under(here: World) -> None:
    """Case 50: 700 refunded in the Dashboard count against the limits, flagged as not governed."""
    assert isinstance(here.provider, FakeProvider)
    everywhere, customer = here.limit(1000), here.limit(5000, scope=Scope.CUSTOMER)
    count, agents = here.limit(5, measure=Measure.COUNT), here.limit(900, scope=Scope.AGENT)
    payment = here.payment(5000, customer="cus_9")
    here.provider.refund_elsewhere(payment, 700)
    request = here.request(here.caller(), payment, 400)
    assert (request.state, request.denial) == (State.DENIED, "limit_exceeded")
    assert (here.headroom(everywhere), here.headroom(customer)) == (300, 4300)
    assert (here.headroom(count), here.headroom(agents)) == (4, 900)
    (kept,) = externals(here)
    assert (kept["amount_minor"], kept["capacity"], kept["claims"]) == (700, "settled", None)


def test_the_room_of_a_dashboard_refund_is_taken_before_the_decision_that_noticed_it(here: World) -> None:
    assert isinstance(here.provider, FakeProvider)
    here.limit(1000)
    payment, agent = here.payment(5000), here.caller()
    here.provider.refund_elsewhere(payment, 700)
    assert here.request(agent, payment, 301).denial == "limit_exceeded"
    assert here.request(agent, payment, 300).state is State.QUEUED


def test_it_is_counted_once_however_often_it_is_seen(here: World) -> None:
    assert isinstance(here.provider, FakeProvider)
    limit, agent = here.limit(10_000), here.caller()
    payment = here.payment(5000)
    here.provider.refund_elsewhere(payment, 700)
    for amount in (100, 200, 300):
        here.app.request_refund.preview(agent, ask(payment, amount), None)
        here.request(agent, payment, amount)
    assert here.headroom(limit) == 10_000 - 700 - 600
    assert len(externals(here)) == 1


def test_a_pending_one_holds_its_room_and_gives_it_back_in_its_own_window_when_it_fails(here: World) -> None:
    assert isinstance(here.provider, FakeProvider)
    limit, agent = here.limit(1000), here.caller()
    payment = here.payment(5000)
    made = here.provider.refund_elsewhere(payment, 700)
    here.provider.set_status(made.id, "pending")
    here.request(agent, payment, 100)
    assert (here.headroom(limit), externals(here)[0]["capacity"]) == (200, "held")
    here.provider.set_status(made.id, "failed")
    _make_the_facts_old(here)
    here.request(agent, payment, 150)
    assert (here.headroom(limit), externals(here)[0]["capacity"]) == (750, "released")


def test_one_that_failed_between_two_looks_of_one_decision_holds_nothing(here: World) -> None:
    """A batch reads a payment once for each of its lines, and books all that it read at once."""
    assert isinstance(here.provider, FakeProvider)
    limit = here.limit(1000)
    payment = here.payment(5000)
    made = here.provider.refund_elsewhere(payment, 700)
    looks = [here.provider.read_payment(payment)]
    here.provider.set_status(made.id, "failed")
    looks.append(here.provider.read_payment(payment))
    with here.app.store.environment(here.environment) as tx:
        assert see_payments(tx, looks)
    assert (here.headroom(limit), externals(here)[0]["capacity"]) == (1000, "released")


def _make_the_facts_old(world: World) -> None:
    with world.app.engine.begin() as connection:
        connection.execute(text("UPDATE payments SET read_at = 'epoch'"))


def test_what_was_refunded_before_there_was_a_governor_takes_room_of_its_payment_only(
    new_world: Callable[..., World], provider: FakeProvider
) -> None:
    payment = provider.add_payment(captured_minor=1000)
    provider.refund_elsewhere(payment, 700)
    world = new_world(provider=provider)
    limit = world.limit(5000, window=WindowKind.LIFETIME)
    assert world.request(world.caller(), payment, 301).denial == "amount_exceeds_refundable"
    assert (world.headroom(limit), len(externals(world))) == (5000, 1)


def test_a_new_limit_counts_what_was_refunded_elsewhere_in_its_window(here: World) -> None:
    assert isinstance(here.provider, FakeProvider)
    here.limit(5000)
    payment = here.payment(5000)
    here.provider.refund_elsewhere(payment, 700)
    here.request(here.caller(), payment, 100)
    assert here.headroom(here.limit(2000, scope=Scope.PAYMENT)) == 2000 - 700 - 100


def test_a_lost_refund_found_by_an_admission_settles_its_request_and_is_not_external(here: World) -> None:
    """Cases 36 and 49: our own refund, whose reply was lost, and one of the Dashboard of the same amount."""
    assert isinstance(here.provider, FakeProvider)
    limit, agent = here.limit(10_000), here.caller()
    payment = here.payment(5000)
    request = here.request(agent, payment, 300)
    here.provider.lose_next_reply()
    here.drain(request)
    assert here.now(request).state is State.UNKNOWN
    here.provider.refund_elsewhere(payment, 300)
    _make_the_facts_old(here)
    here.request(agent, payment, 50)
    assert here.now(request).state is State.SUCCEEDED
    assert here.headroom(limit) == 10_000 - 300 - 300 - 50
    assert [one["amount_minor"] for one in externals(here)] == [300]


def test_a_refund_that_claims_a_request_nobody_made_is_external_and_says_so(here: World) -> None:
    """A database that forgot a request (restored from a backup) meets the refund that the request made."""
    assert isinstance(here.provider, FakeProvider)
    limit = here.limit(10_000)
    payment = here.payment(5000)
    here.provider.refund_for(payment, 700, "rr_00000000000000000000000000")
    here.request(here.caller(), payment, 50)
    (kept,) = externals(here)
    assert (kept["claims"], kept["capacity"]) == ("rr_00000000000000000000000000", "settled")
    assert here.headroom(limit) == 10_000 - 750


def test_a_refund_whose_request_was_forgotten_is_not_made_a_second_time(here: World) -> None:
    """RELIABILITY J4, J8: the database was put back, and the caller asks again for what was refunded already."""
    assert isinstance(here.provider, FakeProvider)
    here.limit(10_000)
    payment, forgotten = here.payment(5000), "rr_00000000000000000000000000"
    here.provider.refund_for(payment, 700, forgotten)
    agent, human = here.caller(), here.caller(Role.AGENT, "human", kind=Kind.HUMAN)
    again = here.request(agent, payment, 700)
    assert (again.denial, again.duplicate_of) == ("possible_duplicate", forgotten)
    assert here.request(agent, payment, 699).state is State.QUEUED
    meant = here.request(human, payment, 700, duplicate_of=forgotten, note="a second one is meant")
    assert meant.state is State.QUEUED


def test_with_the_twin_a_dashboard_refund_is_seen_by_the_next_request(world: World, twin: Twin) -> None:
    limit, payment = world.limit(2000), world.payment(5000)
    twin.dashboard_refund(payment, 700)
    request = world.request(world.caller(), payment, 1400)
    assert (request.denial, world.headroom(limit)) == ("limit_exceeded", 1300)
    assert externals(world)[0]["customer"] == request.customer
