"""Doubt over real sockets: held until evidence or two people, and the provider's own list has the last word."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import EFFECT, ProviderEffect, State, money_moved
from governor.domain.recovery import LOOKS_BEFORE_FLAG
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from tests.builders import World, fresh_key
from tests.twin import Twin
from tests.usecases.at_the_desk import FAILED, HOUR, SUCCEEDED

NewWorld = Callable[..., World]


@pytest.fixture
def world(new_world: NewWorld) -> World:
    return new_world(clock=True)


@pytest.fixture
def operators(world: World) -> list[Caller]:
    return [world.caller(Role.OPERATOR, name, kind=Kind.HUMAN) for name in ("ann", "bob")]


def sent_into(world: World, twin: Twin, fault: str, *, times: int = 1) -> RefundRequest:
    """A request of 1500 whose refund call meets a fault."""
    payment = world.payment(5000)
    twin.fault(fault, method="POST", path="/v1/refunds", times=times)
    request = world.request(world.caller(), payment, 1500)
    world.drain(request)
    return world.now(request)


def refund_calls(twin: Twin) -> list[str]:
    """The key of every refund call that the twin has seen."""
    return [call["key"] for call in twin.settled_calls() if call["method"] == "POST"]


def test_a_lost_reply_is_held_and_asked_again_under_the_same_key_only(world: World, twin: Twin) -> None:
    """Case 35: 5000 gbp in doubt; no second call with a new key, and the refund that went through is found."""
    limit = world.limit(10_000, currency="gbp")
    payment = world.payment(5000, "gbp")
    twin.fault("drop_after", method="POST", path="/v1/refunds")
    request = world.request(world.caller(), payment, 5000, currency="gbp")
    world.drain(request)
    assert (world.now(request).state, world.headroom(limit)) == (State.UNKNOWN, 5000)
    world.advance(60)
    world.app.recover_refund(world.environment)
    assert (world.now(request).state, world.headroom(limit)) == (State.SUCCEEDED, 5000)
    assert refund_calls(twin) == [f"governor-{request.id}"] * 2
    assert len(world.writes(payment)) == 1


def test_what_was_refused_before_it_was_looked_at_moved_nothing_and_can_be_given_up_at_once(
    world: World, twin: Twin
) -> None:
    """Case 43: a key that the provider refuses; nothing was sent, so nothing is in doubt and the room comes back."""
    limit = world.limit(2000)
    request = sent_into(world, twin, "unauthorized_401")
    assert (request.state, EFFECT[request.state], money_moved(request.state)) == (
        State.QUEUED,
        ProviderEffect.NONE,
        "no",
    )
    assert world.app.queries.environment(world.operator).paused_reason is not None
    world.app.cancel_refund(world.operator, request.id, fresh_key())
    assert (world.now(request).state, world.headroom(limit)) == (State.CANCELED, 2000)


def test_a_provider_that_says_503_for_ever_ends_on_the_desk_with_everything_held(
    world: World, twin: Twin
) -> None:
    """Case 44, RELIABILITY G13: retries run out; flagged, audited, on the desk, and still looked at."""
    limit = world.limit(2000)
    request = sent_into(world, twin, "error_503", times=100)
    for hours in range(1, LOOKS_BEFORE_FLAG + 2):
        world.advance(hours * HOUR)
        world.app.recover_refund(world.environment)
    (item,) = world.app.unknown_desk.listed(world.operator, after=None, at_most=10).items
    assert (item.request.id, item.request.state) == (request.id, State.UNKNOWN)
    assert item.request.flagged_at is not None
    assert item.request.due_at is not None
    pack = world.app.unknown_desk.pack(world.operator, request.id)
    assert "refund_request.flagged" in [sealed.entry.action for sealed in pack.trail]
    assert (world.headroom(limit), world.writes()) == (500, [])


def test_what_is_pending_comes_to_the_desk_once_it_is_flagged(world: World, twin: Twin) -> None:
    """Until then the bank has it, and there is nothing for an operator to find out."""
    world.limit(10_000)
    pending = twin.payment(5000, card="pm_card_pendingRefund")
    request = world.request(world.caller(), pending, 1500)
    world.drain(request)
    assert world.now(request).state is State.PROVIDER_PENDING
    assert world.app.unknown_desk.listed(world.operator, after=None, at_most=10).items == ()
    for hours in range(1, LOOKS_BEFORE_FLAG + 1):
        world.advance(hours * HOUR)
        world.app.recover_refund(world.environment)
    desk = world.app.unknown_desk.listed(world.operator, after=None, at_most=10)
    assert [one.request.id for one in desk.items] == [request.id]
    assert [(one.age_bucket, one.count, one.amount_minor) for one in desk.totals] == [
        ("under_20_hours", 1, 1500)
    ]


def test_the_event_of_a_call_names_its_refund_by_the_key(world: World, twin: Twin) -> None:
    """DESIGN §7, recovery (b): our key in an event makes a refund ours, whatever it says of itself."""
    world.limit(2000)
    request = sent_into(world, twin, "drop_after")
    world.app.catch_up(world.environment)
    (found,) = world.app.unknown_desk.pack(world.operator, request.id).candidates or ()
    assert (found.is_ours, {"metadata", "idempotency_key"} <= set(found.matches)) == (True, True)


def test_people_who_were_wrong_are_corrected_by_the_providers_list(
    world: World, twin: Twin, operators: list[Caller]
) -> None:
    """RELIABILITY G9, F6: the reply was lost after the refund was made; what people released is taken back."""
    limit = world.limit(2000)
    request = sent_into(world, twin, "drop_after")
    for person in operators:
        world.resolve(person, request, FAILED)
    assert (world.now(request).state, world.headroom(limit)) == (State.FAILED, 2000)
    world.app.recover_refund.look_now(world.now(request))
    assert (world.now(request).state, world.headroom(limit)) == (State.SUCCEEDED, 500)
    assert world.app.queries.environment(world.operator).halted_reason == f"overrun: {request.id}"


def test_people_who_say_it_succeeded_settle_what_was_asked_and_nothing_more_is_sent(
    world: World, twin: Twin, operators: list[Caller]
) -> None:
    """The second of two requests of the payment is not kept waiting by the first any more."""
    limit = world.limit(2000)
    request = sent_into(world, twin, "drop_before")
    for person in operators:
        world.resolve(person, request, SUCCEEDED)
    now = world.now(request)
    assert (now.state, now.manual, now.moved_minor, world.headroom(limit)) == (
        State.SUCCEEDED,
        True,
        1500,
        500,
    )
    for hours in range(1, 4):
        world.advance(hours * HOUR)
        world.app.recover_refund(world.environment)
    assert refund_calls(twin) == [f"governor-{request.id}"]
    other = world.request(world.caller(name="another"), request.payment, 400)
    assert world.drain(other) == 1
    assert world.now(other).state is State.SUCCEEDED
