"""What limits count, for whom, and what a change of them does to those who are there already."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Invalid, NotFound, PreconditionFailed
from governor.domain.evidence import Evidence, Source
from governor.domain.identity import canonical_case
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.ports.records import RecordedEvidence
from governor.usecases.apply_evidence import apply_evidence
from tests.builders import World, ask, close, fresh_key
from tests.fakes.provider import FakeProvider
from tests.twin import Twin


def test_nobody_gets_a_fresh_allowance_by_starting_over(world: World) -> None:
    """A new session, a new key of the same agent, a new process: the agent's counter is the agent's."""
    world.limit(2000, scope=Scope.AGENT)
    world.request(world.caller(name="first-key", agent="ava"), world.payment(5000), 1500)
    again = world.caller(name="second-key", agent="ava")
    other = world.another_process()
    try:
        assert world.request(again, world.payment(5000), 1500).state is State.DENIED
        assert world.request(again, world.payment(5000), 1500, app=other).state is State.DENIED
        bob = world.caller(name="bob")
        assert world.request(bob, world.payment(5000), 1500, app=other).state is State.QUEUED
    finally:
        close(other)


def test_another_environment_is_untouched(new_world: Callable[..., World]) -> None:
    ours, theirs = new_world(), new_world(environment="theirs")
    limit, their_limit = ours.limit(2000), theirs.limit(2000)
    key, their_agent = fresh_key(), theirs.caller()
    request = ours.answer(ours.caller(), ask(ours.payment(5000), 1500), key).request
    assert (ours.headroom(limit), theirs.headroom(their_limit)) == (500, 2000)
    same_key = theirs.answer(their_agent, ask(theirs.payment(5000), 1500), key)
    assert (same_key.replayed, same_key.request.state) == (False, State.QUEUED)
    with pytest.raises(NotFound):
        theirs.app.queries.request(their_agent, request.id)
    with pytest.raises(NotFound):
        theirs.app.cancel_refund(their_agent, request.id, fresh_key())
    with pytest.raises(NotFound):
        theirs.app.queries.limit(their_agent, limit.id)
    assert ours.drain(request) == 1, "a ring of one environment drains that one"


def test_a_lowered_cap_takes_nothing_back_and_admits_nothing_more(world: World) -> None:
    """Invariant 1; cases 21, 23: usage stays whatever happens to the cap, and every process knows at once."""
    limit, agent = world.limit(2000), world.caller()
    held = world.request(agent, world.payment(5000), 1500)
    other = world.another_process()
    try:
        assert world.request(agent, world.payment(5000), 100, app=other).state is State.QUEUED
        lowered = world.change_cap(limit, 1000)
        refused = world.request(agent, world.payment(5000), 1, app=other)
    finally:
        close(other)
    assert (refused.state, refused.limits[0]["headroom"]) == (State.DENIED, -600)
    world.drain(held)
    assert (world.now(held).state, len(world.writes())) == (State.SUCCEEDED, 2)
    world.change_cap(lowered, 2300)
    assert world.headroom(limit) == 700
    with pytest.raises(PreconditionFailed):
        world.change_cap(limit, 10**6)


def test_a_new_limit_counts_what_is_there_already(new_world: Callable[..., World]) -> None:
    """Invariant 12: open and settled of its window, not what had settled before it."""
    world = new_world(clock=True, approval_seconds=10 * 86400)
    world.travel_to("2027-05-05T12:00:00+00:00")
    world.limit(10**6, window=WindowKind.LIFETIME, approval_above=600)
    agent, approver = world.caller(), world.approver()
    world.drain(world.request(agent, world.payment(5000), 100))
    waits = world.request(agent, world.payment(5000), 700)
    world.travel_to("2027-05-06T12:00:00+00:00")
    world.drain(world.request(agent, world.payment(5000), 300))
    day = world.limit(1000)
    count = world.limit(3, measure=Measure.COUNT)
    assert (world.headroom(day), world.headroom(count)) == (0, 1)
    refused = world.request(agent, world.payment(5000), 1)
    assert [line["limit"] for line in refused.limits if line["headroom"] < line["requested"]] == [day.id]
    world.drain(world.decide(approver, waits, Choice.REJECT))
    assert (world.headroom(day), world.headroom(count)) == (700, 2)


def test_an_archived_limit_binds_nobody_new_and_still_settles(world: World) -> None:
    """RELIABILITY F8."""
    world.limit(10**6)
    limit, agent = world.limit(2000, scope=Scope.AGENT), world.caller()
    held = world.request(agent, world.payment(5000), 1500)
    world.app.change_limit.archive(world.operator, limit.id, AsSeen(limit.revision))
    free = world.request(agent, world.payment(5000), 4000)
    assert (free.state, limit.id in [line["limit"] for line in free.limits]) == (State.QUEUED, False)
    world.drain(held)
    (counter,) = world.app.queries.counters(world.operator, limit.id)
    assert (counter.row.settled, counter.row.reserved) == (1500, 0)


def test_a_count_limit_counts_requests(world: World, twin: Twin) -> None:
    world.limit(10**6)
    limit, agent = world.limit(2, measure=Measure.COUNT, scope=Scope.CUSTOMER), world.caller()
    first, second, third = (world.payment(5000, customer="cus_1") for _ in range(3))
    refused = world.request(agent, first, 4000)
    world.request(agent, second, 1)
    assert world.request(agent, third, 1).denial == "limit_exceeded"
    twin.dashboard_refund(first)
    world.drain(refused)
    assert (world.now(refused).state, world.headroom(limit, "cus_1")) == (State.FAILED, 1)
    assert world.request(agent, third, 1).state is State.QUEUED
    assert world.request(agent, world.payment(5000, customer="cus_2"), 1).state is State.QUEUED


def test_a_limit_with_a_value_counts_only_that_value(world: World) -> None:
    world.limit(10**6)
    limit, agent = world.limit(1000, scope=Scope.CUSTOMER, value="cus_vip"), world.caller()
    assert world.request(agent, world.payment(5000, customer="cus_vip"), 1000).state is State.QUEUED
    assert world.request(agent, world.payment(5000, customer="cus_vip"), 1).state is State.DENIED
    assert world.request(agent, world.payment(5000, customer="cus_any"), 5000).state is State.QUEUED
    assert world.request(agent, world.payment(5000), 5000).state is State.QUEUED, (
        "nobody's payment is not the vip's"
    )
    assert [counter.row.value for counter in world.app.queries.counters(world.operator, limit.id)] == [
        "cus_vip"
    ]


def test_one_case_has_one_allowance_however_it_is_spelt(world: World) -> None:
    """RELIABILITY §0, 10: ZD-1, zd-1 and look-alikes are not three allowances."""
    world.limit(10**6)
    world.limit(1000, scope=Scope.CASE, value="zd-1")
    agent = world.caller()
    spellings = [canonical_case(spelt) for spelt in ("ZD-1", "zd-1", "Zd-1")]
    states = [world.request(agent, world.payment(5000), 600, case=case).state for case in spellings]
    assert states == [State.QUEUED, State.DENIED, State.DENIED]
    for look_alike in ("ZD‑1", "ΖD-1", "ZD-1 ", "ZD–1"):
        with pytest.raises(Invalid):
            canonical_case(look_alike)


def test_no_limit_for_a_currency_is_no_permission(world: World) -> None:
    world.limit(10**6, currency="usd")
    world.limit(100, measure=Measure.COUNT)
    refused = world.answer(world.caller(), ask(world.payment(5000, "eur"), 100, "eur")).request
    assert (refused.state, refused.denial) == (State.DENIED, "no_limit")


def test_what_remains_becomes_a_number_when_it_is_decided(world: World) -> None:
    world.limit(10**6)
    agent, payment = world.caller(), world.payment(3020)
    first = world.request(agent, payment, 1185)
    rest = world.request(agent, payment, None)
    assert (rest.state, rest.amount_minor) == (State.QUEUED, 1835)
    world.drain(first)
    assert sorted(write["amount"] for write in world.writes()) == [1185, 1835]
    nothing = world.request(agent, payment, None)
    assert (nothing.denial, nothing.amount_minor) == ("amount_exceeds_refundable", 0)


AMOUNTS = [
    # currency, amount, what the provider must be sent; cases 55–57
    ("jpy", 9899, 9899),
    ("isk", 500, 500),
    ("kwd", 1230, 1230),
    ("ugx", 5800, 5800),
]


@pytest.mark.parametrize(("currency", "amount", "sent"), AMOUNTS)
def test_minor_units_go_out_as_they_came_in(world: World, currency: str, amount: int, sent: int) -> None:
    limit = world.limit(10**6, currency=currency)
    payment = world.payment(100_000, currency)
    request = world.answer(world.caller(), ask(payment, amount, currency)).request
    world.drain(request)
    assert [(write["amount"], write["currency"]) for write in world.writes()] == [(sent, currency)]
    assert world.headroom(limit) == 10**6 - amount


def test_a_limit_that_came_after_an_overrun_holds_what_was_asked_once_that_is_in_doubt_again(
    new_world: Callable[..., World],
) -> None:
    """F9, F7: twice as much left, a new limit counts all of it, and then the bank sends it back."""
    world = new_world(provider=FakeProvider())
    world.limit(10000)
    request = world.request(world.caller(), world.payment(5000), 400)
    refund = ProviderRefund("re_twice", request.payment, 800, "usd", "succeeded", request.id)
    _seen(world, refund)
    assert (world.now(request).state, world.now(request).moved_minor) == (State.SUCCEEDED, 800)
    amount, count = world.limit(10000), world.limit(10, measure=Measure.COUNT, currency=None)
    assert (world.headroom(amount), world.headroom(count)) == (9200, 9)
    _seen(world, replace(refund, status="failed"))
    assert world.now(request).state is State.UNKNOWN, "what came back was not what was asked for"
    assert (world.headroom(amount), world.headroom(count)) == (9600, 9)


def _seen(world: World, refund: ProviderRefund) -> None:
    """The provider shows this refund of ours."""
    with world.app.store.environment(world.environment) as tx:
        evidence = Evidence(Source.READ, Outcome.ACCEPTED, refund=refund)
        apply_evidence(tx, str(refund.request_id), RecordedEvidence(evidence, "seen", None, None, tx.now))
