"""A freeze stops provider writes on every path; reads, decisions of people and recovery go on (invariant 15)."""

from collections.abc import Callable

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Unavailable
from governor.domain.freezes import frozen_by
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.outcome import Outcome, Reply
from tests.builders import World, ask, fresh_key
from tests.fakes.provider import FakeProvider
from tests.freezing import covering, freeze, unfreeze

EVERY_SCOPE = pytest.mark.parametrize(
    "scope", [Scope.ENVIRONMENT, Scope.CREDENTIAL, Scope.PAYMENT, Scope.CUSTOMER]
)


def test_twenty_queued_then_frozen_are_no_call_and_unfrozen_twenty(world: World) -> None:
    """Case 87: the twin counts what was really executed."""
    limit = world.limit(20_000)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 1000) for _ in range(20)]
    frozen = freeze(world)
    assert sum(world.drain(request) for request in requests) == 0
    assert (world.writes(), world.headroom(limit)) == ([], 0)
    assert {world.now(request).state for request in requests} == {State.QUEUED}
    unfreeze(world, frozen)
    assert world.drain(requests[0]) == 20
    assert len(world.writes()) == 20
    assert {world.now(request).state for request in requests} == {State.SUCCEEDED}


@EVERY_SCOPE
def test_what_is_frozen_waits_and_lets_others_pass(new_world: Callable[..., World], scope: Scope) -> None:
    """However many are frozen, they do not stand before those that may go."""
    world = new_world(provider=FakeProvider())
    world.limit(100_000)
    agent, other = world.caller(), world.caller(name="other")
    payment = world.payment(50_000, customer="cus_frozen")
    waits = [world.request(agent, payment, 100 + n) for n in range(3)]
    goes = world.request(other, world.payment(customer="cus_other"), 100)
    frozen = freeze(world, scope, covering(waits[0], scope))
    world.drain(goes)
    passed = State.QUEUED if scope is Scope.ENVIRONMENT else State.SUCCEEDED
    assert world.now(goes).state is passed
    assert {world.now(one).state for one in waits} == {State.QUEUED}
    assert not world.app.dispatch_refund.may_go_on(world.environment), "nobody turns in circles meanwhile"
    unfreeze(world, frozen)
    world.drain(goes)
    assert {world.now(one).state for one in [*waits, goes]} == {State.SUCCEEDED}


@EVERY_SCOPE
def test_a_freeze_between_claim_and_gate_sends_nothing(new_world: Callable[..., World], scope: Scope) -> None:
    """RELIABILITY D7: back in the queue, held, with the proof that nothing was sent."""
    provider = FakeProvider()
    world = new_world(provider=provider, clock=True)
    limit = world.limit(5000)
    request = world.request(world.caller(), world.payment(customer="cus_frozen"), 1000)
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    frozen = freeze(world, scope, covering(request, scope))
    after = world.app.dispatch_refund.send(claim)
    assert (after.state, provider.orders, world.headroom(limit)) == (State.QUEUED, [], 4000)
    unfreeze(world, frozen)
    world.advance(10)
    assert world.drain(request) == 1
    assert world.now(request).state is State.SUCCEEDED


@EVERY_SCOPE
def test_a_request_in_doubt_is_read_and_not_sent_again(new_world: Callable[..., World], scope: Scope) -> None:
    """Recovery goes on under a freeze; its replays do not."""
    provider = FakeProvider()
    world = new_world(provider=provider, clock=True)
    world.limit(5000)
    request = world.request(world.caller(), world.payment(customer="cus_frozen"), 1000)
    provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
    world.drain(request)
    frozen = freeze(world, scope, covering(request, scope))
    world.advance(60)
    assert world.app.recover_refund(world.environment) == 1
    assert (len(provider.orders), provider.calls[-1]) == (1, ("list_refunds", request.payment))
    assert world.now(request).state is State.UNKNOWN
    unfreeze(world, frozen)
    world.advance(3600)
    assert world.app.recover_refund(world.environment) == 1
    assert (len(provider.orders), world.now(request).state) == (2, State.SUCCEEDED)


def test_a_reply_that_was_lost_is_found_under_a_freeze(new_world: Callable[..., World]) -> None:
    """Evidence of what had left already is booked, frozen or not."""
    provider = FakeProvider()
    world = new_world(provider=provider, clock=True)
    world.limit(5000)
    request = world.request(world.caller(), world.payment(), 1000)
    provider.lose_next_reply()
    world.drain(request)
    freeze(world)
    world.advance(60)
    world.app.recover_refund(world.environment)
    assert (len(provider.orders), world.now(request).state) == (1, State.SUCCEEDED)


def test_holds_are_decided_while_frozen_and_leave_afterwards(world: World) -> None:
    """RELIABILITY B10, case 87: approved under a freeze stays queued and held until two people let it go."""
    limit = world.limit(5000, approval_above=0)
    agent, approver = world.caller(), world.approver()
    yes, no = (world.request(agent, world.payment(), 1000) for _ in range(2))
    frozen = freeze(world)
    assert world.decide(approver, yes, Choice.APPROVE).state is State.QUEUED
    assert world.decide(approver, no, Choice.REJECT).state is State.REJECTED
    assert (world.drain(yes), world.writes(), world.headroom(limit)) == (0, [], 4000)
    unfreeze(world, frozen)
    assert world.drain(yes) == 1
    assert [write["amount"] for write in world.writes()] == [1000]


@EVERY_SCOPE
def test_nothing_new_is_decided_under_a_freeze_and_the_key_stays_free(
    new_world: Callable[..., World], scope: Scope
) -> None:
    """What an unfreeze lets go is what was decided before, not what piled up meanwhile (API.md: 503 `frozen`)."""
    world = new_world(provider=FakeProvider())
    limit = world.limit(5000)
    agent, payment, key = world.caller(), world.payment(customer="cus_frozen"), fresh_key()
    known = world.answer(agent, ask(payment, 1000))
    frozen = freeze(world, scope, covering(known.request, scope))
    for asked in (ask(payment, 700), ask(payment, 800)):
        with pytest.raises(Unavailable) as refused:
            world.answer(agent, asked, key)
        assert (refused.value.code, refused.value.retry_after_seconds) == ("frozen", 60)
        with pytest.raises(Unavailable):
            world.app.request_refund.preview(agent, asked, None)
    assert world.headroom(limit) == 4000
    again = world.answer(agent, ask(payment, 1000), known.request.operation_key)
    assert (again.replayed, again.request.id) == (True, known.request.id)
    assert world.app.cancel_refund(agent, known.request.id, fresh_key()).request.state is State.CANCELED
    unfreeze(world, frozen)
    assert world.answer(agent, ask(payment, 900), key).request.state is State.QUEUED


def test_a_freeze_by_one_scope_leaves_the_others_of_a_batch_alone(new_world: Callable[..., World]) -> None:
    world = new_world(provider=FakeProvider())
    world.limit(5000)
    agent = world.caller()
    stopped, free = world.payment(), world.payment()
    freeze(world, Scope.PAYMENT, stopped)
    with pytest.raises(Unavailable):
        world.request(agent, stopped, 100)
    assert world.request(agent, free, 100).state is State.QUEUED


def test_the_sql_that_skips_what_is_frozen_agrees_with_the_rule(new_world: Callable[..., World]) -> None:
    """The queue skips by SQL, the gate asks the domain: two writings of one rule."""
    world = new_world(provider=FakeProvider())
    world.limit(100_000)
    first, second = world.caller(), world.caller(name="second")
    payments = [world.payment(customer=name) for name in ("cus_a", "cus_b", None)]
    askers = [(who, one) for who in (first, second) for one in payments]
    requests = [world.request(who, one, 100 + n) for n, (who, one) in enumerate(askers)]
    values: list[tuple[Scope, str | None]] = [(Scope.ENVIRONMENT, None)]
    values += [(Scope.PAYMENT, payment) for payment in payments]
    values += [(Scope.CUSTOMER, name) for name in ("cus_a", "cus_b", "cus_c")]
    values += [(Scope.CREDENTIAL, who.credential.id) for who in (first, second, world.operator)]
    for scope, value in values:
        frozen = freeze(world, scope, value)
        with world.app.store.environment(world.environment) as tx:
            due, standing = {one.payment for one in tx.due(at_most=50)}, tx.freezes(world.environment)
            free = {one.payment for one in requests if frozen_by(standing, one.subject) is None}
        assert due == free, (scope, value)
        unfreeze(world, frozen)
