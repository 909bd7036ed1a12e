"""What an approver was shown of a payment must still be so when they approve, and when the bytes leave."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from governor.domain.approval import Ballot, Choice
from governor.domain.errors import Conflict, Forbidden
from governor.domain.lifecycle import State
from governor.domain.payments import Dispute
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.holds import payment_of, see_fresh
from tests.builders import World, fresh_key
from tests.twin import Twin

OLD = 16 * 60
"""Seconds: by then the payment is read again before anybody approves."""


@pytest.fixture
def clocked(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True)
    world.limit(20_000, approval_above=1000)
    return world


def _seen(world: World, approver: Caller, request: RefundRequest, choice: Choice = Choice.APPROVE) -> Ballot:
    hold, _ = world.app.queries.hold(approver, request.hold or "")
    return Ballot(choice, hold.digest, hold.version, "I looked")


def _vote(world: World, approver: Caller, request: RefundRequest, ballot: Ballot) -> RefundRequest:
    return world.app.decide_hold(approver, request.hold or "", ballot, fresh_key("vote"))


def _reads(twin: Twin) -> int:
    return sum("payment_intents" in call["path"] for call in twin.calls())


def test_young_facts_are_approved_on_as_they_are_and_old_ones_are_read_first(
    clocked: World, twin: Twin
) -> None:
    agent, approver = clocked.caller(), clocked.approver()
    young, old = (clocked.request(agent, clocked.payment(5000), 1500) for _ in range(2))
    before = _reads(twin)
    assert clocked.decide(approver, young, Choice.APPROVE).state is State.QUEUED
    assert _reads(twin) == before
    clocked.advance(OLD)
    approved = clocked.decide(approver, old, Choice.APPROVE)
    assert (approved.state, approved.hold_version) == (State.QUEUED, 1), "nothing has changed"
    assert _reads(twin) == before + 1


def test_saying_no_needs_no_look_at_the_provider(clocked: World, twin: Twin) -> None:
    waits = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    clocked.advance(OLD)
    before = _reads(twin)
    assert clocked.decide(clocked.approver(), waits, Choice.REJECT).state is State.REJECTED
    assert _reads(twin) == before


def test_what_was_refunded_elsewhere_is_shown_before_anybody_approves(clocked: World, twin: Twin) -> None:
    """RELIABILITY B12: 4000 of 5000 are gone by another way; who approves 1500 is told, and may approve less."""
    approver, payment = clocked.approver(), clocked.payment(5000)
    waits = clocked.request(clocked.caller(), payment, 1500)
    ballot = _seen(clocked, approver, waits)
    twin.dashboard_refund(payment, 4000)
    clocked.advance(OLD)
    with pytest.raises(Conflict) as changed:
        _vote(clocked, approver, waits, ballot)
    assert changed.value.code == "hold_changed"
    differs = {one["member"]: (one["before"], one["now"]) for one in changed.value.extra["changes"]}
    assert differs["refunded_elsewhere"] == (0, 4000)
    assert set(differs) == {"refunded_elsewhere", "facts_read_at"}
    assert clocked.now(waits).hold_version == 2
    with pytest.raises(Forbidden) as unpayable:
        clocked.decide(approver, waits, Choice.APPROVE)
    assert (unpayable.value.code, unpayable.value.extra) == (
        "amount_exceeds_refundable",
        {"refundable": 1000},
    )
    less = clocked.decide(approver, waits, Choice.APPROVE_LESS, amount=1000)
    clocked.drain(less)
    assert clocked.now(waits).state is State.SUCCEEDED
    assert [write["amount"] for write in clocked.writes(payment)] == [4000, 1000]


def test_what_others_have_learnt_of_a_payment_counts_though_it_is_young(clocked: World, twin: Twin) -> None:
    """The facts were read for somebody else's request moments ago."""
    approver, payment = clocked.approver(), clocked.payment(5000)
    waits = clocked.request(clocked.caller(), payment, 1500)
    ballot = _seen(clocked, approver, waits)
    twin.dashboard_refund(payment, 300)
    clocked.advance(120)
    clocked.request(clocked.caller(name="other"), payment, 10)
    with pytest.raises(Conflict) as changed:
        _vote(clocked, approver, waits, ballot)
    assert changed.value.code == "hold_changed"
    assert clocked.decide(approver, waits, Choice.APPROVE).state is State.QUEUED, "there is enough left"


def test_a_dispute_that_came_meanwhile_is_shown_and_stops_the_approval(clocked: World, twin: Twin) -> None:
    approver, payment = clocked.approver(), clocked.payment(5000)
    waits = clocked.request(clocked.caller(), payment, 1500)
    ballot = _seen(clocked, approver, waits)
    twin.dispute(payment, "needs_response")
    clocked.advance(OLD)
    with pytest.raises(Conflict) as changed:
        _vote(clocked, approver, waits, ballot)
    assert ("dispute", "none") in {(one["member"], one["before"]) for one in changed.value.extra["changes"]}
    with pytest.raises(Forbidden) as disputed:
        clocked.decide(approver, waits, Choice.APPROVE)
    assert disputed.value.code == "payment_disputed"
    assert clocked.decide(approver, waits, Choice.REJECT).state is State.REJECTED


# Another account stops it even before: tests/usecases/test_recovery.py.
CHANGES = {
    "amount": "amount = 1499",
    "payment": "payment = 'pi_another'",
    "currency": "currency = 'eur'",
    "what was shown": "shown = jsonb_set(shown, '{note}', '\"never mind\"')",
    "what was shown, with the amount": "amount = 1499, shown = jsonb_set(shown, '{amount}', '1499')",
    "version": "hold_version = hold_version + 1",
    "quorum": "quorum = 2",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_approved_is_what_is_sent_or_nothing_is(world: World, change: str) -> None:
    """RELIABILITY T27: somebody changes the row between the approval and the send."""
    world.limit(20_000, approval_above=1000)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    world.decide(world.approver(), waits, Choice.APPROVE)
    row = {"env": world.environment, "id": waits.id}
    with world.app.engine.begin() as connection:
        kept = connection.execute(
            text("SELECT amount, payment, currency, account, shown::text, hold_version, quorum"
                 " FROM refund_requests WHERE environment = :env AND id = :id"), row).one()  # fmt: skip
        connection.execute(
            text(f"UPDATE refund_requests SET {change} WHERE environment = :env AND id = :id"), row)  # fmt: skip  # noqa: S608  a constant
    world.drain(waits)
    now = world.now(waits)
    assert (world.writes(), now.state, now.last_reason) == ([], State.QUEUED, "not_as_approved")
    here = world.app.queries.environment(world.operator)
    assert here.halted_reason == f"inconsistent_evidence: {waits.id}", "an operator must look"
    with world.app.engine.begin() as connection:  # so that the books can be judged
        connection.execute(
            text("UPDATE refund_requests SET amount = :amount, payment = :payment, currency = :currency, account ="
                 " :account, shown = CAST(:shown AS jsonb), hold_version = :hold_version, quorum = :quorum"
                 " WHERE environment = :env AND id = :id"), row | kept._asdict())  # fmt: skip


def test_a_look_that_took_its_time_takes_back_nothing_that_was_seen_meanwhile(clocked: World) -> None:
    """Decisions on stale facts: who reads the payment before the dispute and books it afterwards approves nothing."""
    waits = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    with clocked.app.store.environment(clocked.environment) as tx:
        earlier, _ = payment_of(tx, waits)
        see_fresh(tx, replace(earlier, dispute=Dispute.OPEN, read_at=earlier.read_at + timedelta(seconds=1)))
        see_fresh(tx, earlier)
        assert payment_of(tx, waits)[0].dispute is Dispute.OPEN
