"""What every payment provider promises (governor.ports.provider), and the fake as well as the real one keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governor.domain.errors import NotFound, Unavailable
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import Dispute
from governor.ports.provider import RefundOrder
from tests.contracts.worlds import ProviderWorld
from tests.fakes.provider import START
from tests.stack import PATIENCE_SECONDS
from tests.unit.values import VISA


def an_order(payment: str, amount_minor: int = 700, **changes: Any) -> RefundOrder:
    order = RefundOrder("rr_1", payment, amount_minor, "usd", None, "governor-rr_1", "acct_1")
    return replace(order, **changes)


def send(world: ProviderWorld, order: RefundOrder, *, first: bool = True) -> Reply:
    return world.provider.create_refund(order, first=first, deadline_seconds=PATIENCE_SECONDS)


def test_a_refund_is_accepted_with_its_facts(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    answer = send(world, an_order(payment))
    assert (answer.outcome, answer.reason, answer.http_status) == (Outcome.ACCEPTED, "refund_succeeded", 200)
    assert (answer.replayed, answer.kept, answer.alarm) == (False, False, None)
    refund = answer.refund
    assert refund is not None
    assert (refund.payment, refund.amount_minor, refund.currency) == (payment, 700, "usd")
    assert (refund.status, refund.request_id) == ("succeeded", "rr_1")
    assert world.executed(payment) == [700]


def test_a_refund_may_take_its_time(world: ProviderWorld) -> None:
    answer = send(world, an_order(world.payment(5000, pending=True)))
    assert (answer.outcome, answer.reason) == (Outcome.ACCEPTED, "refund_pending")


def test_one_key_is_one_refund(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    first, again = send(world, an_order(payment)), send(world, an_order(payment), first=False)
    assert (again.outcome, again.replayed, again.refund) == (Outcome.ACCEPTED, True, first.refund)
    assert world.executed(payment) == [700]


def test_a_lost_reply_is_unknown_and_the_replay_finds_the_refund(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    world.lose_next_reply()
    lost = send(world, an_order(payment))
    assert (lost.outcome, lost.refund, lost.http_status) == (Outcome.UNKNOWN, None, None)
    assert world.executed(payment) == [700]
    found = send(world, an_order(payment), first=False)
    assert (found.outcome, found.replayed) == (Outcome.ACCEPTED, True)
    assert world.executed(payment) == [700]


def test_one_key_with_another_body_is_a_broken_identity(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    send(world, an_order(payment))
    answer = send(world, an_order(payment, 701), first=False)
    assert (answer.outcome, answer.alarm) == (Outcome.UNKNOWN, Alarm.IDENTITY_BROKEN)
    assert world.executed(payment) == [700]


def test_more_than_is_left_is_refused(world: ProviderWorld) -> None:
    payment = world.payment(1000)
    world.refund_elsewhere(payment, 400)
    answer = send(world, an_order(payment))
    assert (answer.outcome, answer.reason, answer.http_status) == (Outcome.REJECTED, "amount_refused", 400)
    assert world.executed(payment) == []


def test_a_payment_without_rest_is_refused(world: ProviderWorld) -> None:
    payment = world.payment(700)
    world.refund_elsewhere(payment, 700)
    answer = send(world, an_order(payment))
    assert (answer.outcome, answer.reason) == (Outcome.REJECTED, "charge_already_refunded")


def test_a_first_refusal_to_a_replay_proves_nothing(world: ProviderWorld) -> None:
    payment = world.payment(700)
    world.refund_elsewhere(payment, 700)
    answer = send(world, an_order(payment), first=False)
    assert (answer.outcome, answer.kept) == (Outcome.UNKNOWN, False)


def test_a_kept_refusal_speaks_for_every_attempt(world: ProviderWorld) -> None:
    payment = world.payment(700)
    world.refund_elsewhere(payment, 700)
    send(world, an_order(payment))
    answer = send(world, an_order(payment), first=False)
    assert (answer.outcome, answer.kept, answer.replayed) == (Outcome.REJECTED, True, True)


@pytest.mark.parametrize(("first", "outcome"), [(True, Outcome.NOT_EXECUTED), (False, Outcome.UNKNOWN)])
def test_without_time_nothing_is_sent(world: ProviderWorld, first: bool, outcome: Outcome) -> None:
    payment = world.payment(5000)
    answer = world.provider.create_refund(an_order(payment), first=first, deadline_seconds=0)
    assert (answer.outcome, answer.reason) == (outcome, "not_sent")
    assert (answer.retry_after_seconds > 0) is first
    assert world.executed(payment) == []


def test_an_unknown_payment_is_refused_with_an_alarm_about_the_configuration(world: ProviderWorld) -> None:
    answer = send(world, an_order("pi_nobody"))
    assert (answer.outcome, answer.reason) == (Outcome.REJECTED, "resource_missing")
    assert answer.alarm is Alarm.CONFIGURATION


@pytest.mark.parametrize(
    ("dispute", "outcome"),
    [
        (Dispute.OPEN, Outcome.REJECTED),
        (Dispute.LOST, Outcome.REJECTED),
        (Dispute.WON, Outcome.ACCEPTED),
    ],
)
def test_a_dispute_bears_on_refunds(world: ProviderWorld, dispute: Dispute, outcome: Outcome) -> None:
    payment = world.payment(5000)
    world.dispute(payment, dispute)
    assert world.provider.read_payment(payment).dispute is dispute
    assert send(world, an_order(payment)).outcome is outcome


def test_the_facts_of_a_payment_name_all_its_refunds_newest_first(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    send(world, an_order(payment))
    world.refund_elsewhere(payment, 300)
    facts = world.provider.read_payment(payment)
    assert (facts.payment, facts.currency, facts.captured_minor) == (payment, "usd", 5000)
    assert (facts.customer, facts.livemode, facts.refundable_status) == ("cus_1", False, True)
    assert facts.dispute is Dispute.NONE
    assert (facts.method, facts.connected) == (VISA, False)
    assert facts.account == world.provider.read_account().id
    assert [(r.amount_minor, r.request_id, r.status) for r in facts.refunds] == [
        (300, None, "succeeded"),
        (700, "rr_1", "succeeded"),
    ]
    assert world.provider.list_refunds(payment) == facts.refunds


def test_a_list_longer_than_a_page_is_whole(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    for _ in range(101):
        world.refund_elsewhere(payment, 1)
    assert len(world.provider.list_refunds(payment)) == 101


def test_events_say_where_to_look_and_only_what_a_call_caused_carries_its_key(world: ProviderWorld) -> None:
    payment, since = world.payment(5000), world.now()
    refund = send(world, an_order(payment)).refund
    world.refund_elsewhere(payment, 300)
    world.dispute(payment, Dispute.OPEN)
    # How much more a dispute tells is the provider's own matter.
    events = world.provider.list_events_since(since)[::-1][:5]
    assert refund is not None
    assert [(event.type, event.refund == refund.id, event.key) for event in events] == [
        ("refund.created", True, "governor-rr_1"),
        ("charge.refunded", False, "governor-rr_1"),
        ("refund.created", False, None),
        ("charge.refunded", False, None),
        ("charge.dispute.created", False, None),
    ]
    assert {(event.payment, event.livemode, event.account) for event in events} == {(payment, False, None)}
    assert all(event.happened_at >= since for event in events)
    assert len({event.id for event in events}) == len(events)


def test_events_before_the_time_asked_for_are_not_told(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    world.refund_elsewhere(payment, 300)
    since = world.now() + timedelta(seconds=1)
    world.wait_until(since)
    world.refund_elsewhere(payment, 200)
    assert len(world.provider.list_events_since(since)) == 2


def test_a_list_of_events_longer_than_a_page_is_whole(world: ProviderWorld) -> None:
    payment, since = world.payment(5000), world.now()
    for _ in range(51):
        world.refund_elsewhere(payment, 1)
    assert len(world.provider.list_events_since(since)) == 102


def test_what_the_provider_does_not_know(world: ProviderWorld) -> None:
    with pytest.raises(NotFound) as refusal:
        world.provider.read_payment("pi_nobody")
    assert refusal.value.code == "payment_not_found"


def test_a_provider_that_is_down_is_unavailable_and_not_empty(world: ProviderWorld) -> None:
    payment = world.payment(5000)
    world.go_down()
    with pytest.raises(Unavailable):
        world.provider.read_payment(payment)
    with pytest.raises(Unavailable):
        world.provider.list_refunds(payment)
    with pytest.raises(Unavailable):
        world.provider.list_events_since(world.now())
    with pytest.raises(Unavailable):
        world.provider.read_account()


def test_all_refunds_of_the_account_since_then_are_listed_whoever_made_them(world: ProviderWorld) -> None:
    first, second = world.payment(5000), world.payment(5000)
    send(world, an_order(first))
    world.refund_elsewhere(second, 300)
    made = world.provider.list_refunds_since(START - timedelta(days=1))
    assert [(one.payment, one.amount_minor, one.request_id) for one in made] == [
        (second, 300, None),
        (first, 700, "rr_1"),
    ]
    assert all(one.created_at is not None for one in made)
    assert world.provider.list_refunds_since(START + timedelta(days=3650)) == ()
    world.go_down()
    with pytest.raises(Unavailable):
        world.provider.list_refunds_since(START)


def test_a_charge_leads_to_the_payment_it_paid(world: ProviderWorld) -> None:
    payments = [world.payment(5000), world.payment(700)]
    charges = [world.provider.read_payment(payment).charge or "" for payment in payments]
    assert [world.provider.payment_of(charge) for charge in charges] == payments


@pytest.mark.parametrize("charge", ["ch_nobody", "pi_1", "", "ch_1/refunds", "ch_"])
def test_what_is_no_charge_leads_to_no_payment(world: ProviderWorld, charge: str) -> None:
    with pytest.raises(NotFound) as refused:
        world.provider.payment_of(charge)
    assert refused.value.code == "payment_not_found"


def test_a_charge_that_cannot_be_read_is_not_said_to_be_unknown(world: ProviderWorld) -> None:
    charge = world.provider.read_payment(world.payment(5000)).charge or ""
    world.go_down()
    with pytest.raises(Unavailable):
        world.provider.payment_of(charge)
