"""What the provider's answer does to capacity, to the competitors, and to the environment."""

from collections.abc import Callable

import pytest

from governor.domain.evidence import Evidence, Source
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome, Reply
from governor.domain.payments import ProviderRefund
from governor.ports.records import RecordedEvidence
from governor.usecases.apply_evidence import apply_evidence
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.twin import Twin


def _fail_the_next_refund(twin: Twin, fault: str) -> None:
    twin.fault(fault, path="/v1/refunds", method="POST")


HELD_IN_DOUBT = [
    # fault on the refund call, how many refunds the provider really made
    ("drop_before", 0),
    ("drop_after", 1),
    ("reset_before", 0),
    ("error_500_before", 0),
    ("error_500_after", 1),
    ("error_502_html", 0),
    ("error_503", 0),
    ("truncate_body", 1),
    ("not_json", 1),
    ("json_not_object", 1),
    ("missing_id", 1),
    ("redirect_302", 0),
    ("key_in_use_409", 0),
]


@pytest.mark.parametrize(("fault", "executed"), HELD_IN_DOUBT)
def test_doubt_releases_nothing(world: World, twin: Twin, fault: str, executed: int) -> None:
    """Cases 7, 10, 35, 45: unknown is not failed, the room stays taken, and no second key gets through."""
    limit, agent = world.limit(2000), world.caller()
    payment = world.payment(5000)
    _fail_the_next_refund(twin, fault)
    request = world.request(agent, payment, 1500)
    assert world.drain(request) == 1
    assert (world.now(request).state, world.headroom(limit)) == (State.UNKNOWN, 500)
    assert len(world.writes()) == executed
    assert world.request(agent, world.payment(5000), 1500).state is State.DENIED, (
        "the competitor finds no room"
    )
    duplicate = world.request(agent, payment, 1500)
    assert (duplicate.denial, duplicate.duplicate_of) == ("possible_duplicate", request.id)
    other_amount = world.request(agent, payment, 400)
    assert (other_amount.state, world.drain(other_amount)) == (State.QUEUED, 0), (
        "one in doubt blocks its payment"
    )
    assert len(twin.settled_calls()) == len([call for call in twin.calls() if call["method"] == "GET"]) + 1


def test_a_definitive_refusal_releases_and_the_competitor_fits(world: World, twin: Twin) -> None:
    """Cases 37, 65: refunded in the Dashboard since its facts were read; Stripe refuses, the room is back."""
    limit, agent = world.limit(2000), world.caller()
    payment = world.payment(5000)
    request = world.request(agent, payment, 1500)
    competitor = world.payment(5000)
    assert world.request(agent, competitor, 1500).state is State.DENIED
    twin.dashboard_refund(payment)
    world.drain(request)
    refused = world.now(request)
    assert (refused.state, refused.moved_minor, world.headroom(limit)) == (State.FAILED, 0, 2000)
    fits = world.request(agent, competitor, 1500)
    assert world.drain(fits) == 1
    assert world.now(fits).state is State.SUCCEEDED
    assert [write["payment"] for write in world.writes() if write["idempotency_key"]] == [competitor]


def test_a_dispute_opened_after_the_admission_is_a_definitive_refusal(world: World, twin: Twin) -> None:
    """Case 65."""
    limit = world.limit(2000)
    payment = world.payment(5000)
    request = world.request(world.caller(), payment, 1500)
    twin.dispute(payment, "needs_response")
    world.drain(request)
    assert (world.now(request).state, world.now(request).last_reason) == (State.FAILED, "charge_disputed")
    assert (world.headroom(limit), world.writes()) == (2000, [])


def test_what_is_pending_at_the_provider_is_held_and_not_sent_again(world: World, twin: Twin) -> None:
    """Case 39."""
    limit = world.limit(2000)
    payment = twin.payment(5000, "usd", card="pm_card_pendingRefund")
    request = world.request(world.caller(), payment, 1500)
    assert (world.drain(request), world.drain(request)) == (1, 0)
    assert (world.now(request).state, world.headroom(limit)) == (State.PROVIDER_PENDING, 500)
    assert len(world.writes()) == 1


@pytest.mark.parametrize("fault", ["rate_limit_429", "lock_timeout_429"])
def test_what_was_provably_not_executed_waits_its_turn_and_is_sent_under_the_same_key(
    new_world: Callable[..., World], twin: Twin, fault: str
) -> None:
    """RELIABILITY E21, E24: back in the queue with its hold; one HTTP call per attempt; one refund."""
    world = new_world(clock=True)
    limit = world.limit(2000)
    _fail_the_next_refund(twin, fault)
    request = world.request(world.caller(), world.payment(5000), 1500)
    assert world.drain(request) == 1
    waits = world.now(request)
    assert (waits.state, waits.attempts, world.headroom(limit)) == (State.QUEUED, 1, 500)
    assert world.drain(request) == 0, "not before its back-off is over"
    world.advance(30)
    assert world.drain(request) == 1
    assert (world.now(request).state, len(world.writes())) == (State.SUCCEEDED, 1)
    keys = [call["key"] for call in twin.settled_calls() if call["method"] == "POST"]
    assert keys == [f"governor-{request.id}"] * 2


@pytest.mark.parametrize("fault", ["unauthorized_401", "forbidden_403"])
def test_a_refused_key_pauses_the_environment_and_keeps_every_hold(
    new_world: Callable[..., World], twin: Twin, fault: str
) -> None:
    """RELIABILITY E22: nothing was executed, nothing is lost, and nobody hammers the provider."""
    world = new_world(clock=True)
    limit, agent = world.limit(2000), world.caller()
    first = world.request(agent, world.payment(5000), 1500)
    _fail_the_next_refund(twin, fault)
    world.drain(first)
    second = world.request(agent, world.payment(5000), 300)
    calls = len(twin.settled_calls())
    environment = world.app.queries.environment(world.operator)
    assert environment.stopped == environment.paused_reason is not None
    world.advance(3000)
    assert world.drain(first) == world.drain(second) == 0
    assert [call["method"] for call in twin.calls()[calls:]] == ["GET"] * (len(twin.calls()) - calls)
    assert (world.now(first).state, world.now(second).state) == (State.QUEUED, State.QUEUED)
    assert (world.writes(), world.headroom(limit)) == ([], 200)


BROKEN_PROMISES = [
    # what the provider does, the request's state, what of a headroom of 10000 is left, why it halts
    ("overrun", State.UNKNOWN, 9500, "inconsistent_evidence"),
    ("other_amount", State.UNKNOWN, 9500, "inconsistent_evidence"),
    ("other_currency", State.UNKNOWN, 9500, "inconsistent_evidence"),
]


@pytest.mark.parametrize(("fault", "state", "left", "why"), BROKEN_PROMISES)
def test_money_that_does_not_match_halts_the_environment(
    new_world: Callable[..., World], twin: Twin, fault: str, state: State, left: int, why: str
) -> None:
    """Case 54, RELIABILITY E14, F9: the full hold stays until a read explains it, and nothing else is sent."""
    world = new_world(provider_breaks_its_rules=True)
    limit, agent = world.limit(10000), world.caller()
    _fail_the_next_refund(twin, fault)
    request = world.request(agent, world.payment(5000), 500)
    world.drain(request)
    environment = world.app.queries.environment(world.operator)
    assert environment.stopped == environment.halted_reason == f"{why}: {request.id}"
    assert (world.now(request).state, world.headroom(limit)) == (state, left)
    after = world.request(agent, world.payment(5000), 100)
    assert (after.state, world.drain(after)) == (State.QUEUED, 0), "requests are taken, nothing is sent"
    assert len(world.writes()) == 1


def test_a_settlement_that_is_told_a_hundred_times_settles_once(world: World) -> None:
    """Case 15: the same reply, and the same look at the refund, come again and again."""
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    world.drain(request)
    with world.app.store.reading() as reads:
        (settled,) = reads.evidence(world.environment, request.id)
        trail = reads.audit(world.environment, after=0, at_most=1000)
    for _ in range(100):
        with world.app.store.environment(world.environment) as tx:
            apply_evidence(tx, request.id, settled)
    assert (world.headroom(limit), world.now(request).moved_minor) == (500, 1500)
    with world.app.store.reading() as reads:
        assert reads.audit(world.environment, after=0, at_most=1000) == trail


@pytest.mark.parametrize("moved", [400, 5000])
def test_an_overrun_is_booked_in_full_and_halts(new_world: Callable[..., World], moved: int) -> None:
    """Cases 28, 54: the provider had refused, the room was given back, and a webhook shows that money left."""
    provider = FakeProvider()
    world = new_world(provider=provider)
    limit = world.limit(10000)
    request = world.request(world.caller(), world.payment(5000), 400)
    provider.answer_next(Reply(Outcome.REJECTED, "amount_refused", 400))
    world.drain(request)
    assert (world.now(request).state, world.headroom(limit)) == (State.FAILED, 10000)
    refund = ProviderRefund("re_late", request.payment, moved, "usd", "succeeded", request.id)
    with world.app.store.environment(world.environment) as tx:
        evidence = Evidence(Source.WEBHOOK, Outcome.ACCEPTED, refund=refund)
        apply_evidence(tx, request.id, RecordedEvidence(evidence, "webhook", None, None, tx.now))
    late = world.now(request)
    assert (late.state, late.moved_minor) == (State.SUCCEEDED, moved)
    assert world.headroom(limit) == 10000 - moved
    assert world.app.queries.environment(world.operator).halted_reason == f"overrun: {request.id}"


def test_a_refund_that_turns_up_pending_after_its_release_halts(new_world: Callable[..., World]) -> None:
    """Invariants 10 and 11: its room may be taken by others by now, whenever the money itself follows."""
    provider = FakeProvider()
    world = new_world(provider=provider)
    limit = world.limit(10000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    provider.answer_next(Reply(Outcome.REJECTED, "amount_refused", 400))
    world.drain(request)
    assert (world.now(request).state, world.headroom(limit)) == (State.FAILED, 10000)
    refund = ProviderRefund("re_late", request.payment, 1500, "usd", "pending", request.id)
    with world.app.store.environment(world.environment) as tx:
        evidence = Evidence(Source.READ, Outcome.ACCEPTED, refund=refund)
        apply_evidence(tx, request.id, RecordedEvidence(evidence, "read_pending", None, None, tx.now))
    assert (world.now(request).state, world.headroom(limit)) == (State.PROVIDER_PENDING, 8500)
    assert world.app.queries.environment(world.operator).halted_reason == f"overrun: {request.id}"
