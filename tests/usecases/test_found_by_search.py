"""What the simulator found in the use cases, each as the shortest story that showed it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.outcome import Outcome, Reply
from governor.ports.provider import ProviderAccount, RefundOrder
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, ask, fresh_key
from tests.fakes.provider import FakeProvider

REFUSED = Reply(Outcome.REJECTED, "charge_disputed", 400)


@dataclass
class _AccountTakesItsTime(FakeProvider):
    """While a worker asks for the account's name, something else happens."""

    meanwhile: Callable[[], object] = lambda: None

    def read_account(self) -> ProviderAccount:
        account = super().read_account()
        self.meanwhile()
        return account


def _freeze(world: World) -> None:
    draft = FreezeDraft(Scope.ENVIRONMENT, None, "worried")
    world.app.freeze_refunds.freeze(world.operator, draft, fresh_key("freeze"))


def test_a_freeze_while_the_account_is_being_named_stops_the_call(new_world: Callable[..., World]) -> None:
    provider = _AccountTakesItsTime()
    world = new_world(provider=provider)
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 700)
    provider.meanwhile = lambda: _freeze(world)
    world.drain(request)
    assert world.now(request).last_reason == "environment_stopped"
    assert provider.orders == []


def test_a_wish_to_cancel_while_the_account_is_being_named_stops_the_call(
    new_world: Callable[..., World],
) -> None:
    provider = _AccountTakesItsTime()
    world = new_world(provider=provider)
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 700)
    provider.meanwhile = lambda: world.app.cancel_refund(world.operator, request.id, fresh_key("cancel"))
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    world.app.dispatch_refund.send(claim)
    assert world.now(request).state is State.CANCELED
    assert provider.orders == []


@dataclass
class _Told(FakeProvider):
    """Remembers of each call whether it was said to be the first that can be executed."""

    firsts: list[bool] = field(default_factory=list)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        self.firsts.append(first)
        return super().create_refund(order, first=first, deadline_seconds=deadline_seconds)


@pytest.mark.parametrize("refusals", [1, 2, 5])
def test_a_provider_that_had_no_time_leaves_nobody_in_doubt_when_it_refuses_at_last(
    new_world: Callable[..., World], refusals: int
) -> None:
    """Each call was proven not executed, so the next one is a first attempt: what it brings is certain."""
    provider = _Told()
    world = new_world(provider=provider, clock=True)
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 700)
    for number in range(refusals):
        provider.answer_next(Reply(Outcome.NOT_EXECUTED, "rate_limited", 429, retry_after_seconds=2))
        world.advance(7200 * number)
        world.drain(request)
        assert world.now(request).state is State.QUEUED
    provider.answer_next(REFUSED)
    world.advance(7200 * refusals)
    world.drain(request)
    assert provider.firsts == [True] * (refusals + 1)
    assert (world.now(request).state, world.headroom(limit)) == (State.FAILED, 2000)


def test_a_call_behind_one_in_doubt_is_never_the_first(new_world: Callable[..., World]) -> None:
    provider = _Told()
    world = new_world(provider=provider, clock=True)
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 700)
    provider.lose_next_reply()
    world.drain(request)
    world.advance(3600)
    world.drain(request)
    assert provider.firsts == [True, False]


def test_facts_that_were_read_for_a_request_decide_it_however_late(new_world: Callable[..., World]) -> None:
    """Somebody else read the payment a moment later, and by now both readings are old."""
    provider = FakeProvider()
    world = new_world(provider=provider, facts_max_age_seconds=0)
    world.limit(2000)
    payment, agent = world.payment(5000), world.caller()
    read = provider.read_payment

    def slowly(asked: str) -> object:
        facts = read(asked)
        provider.read_payment = read  # type: ignore[method-assign]  # only the first reading is slow
        world.request(agent, payment, 300)
        return facts

    provider.read_payment = slowly  # type: ignore[method-assign,assignment]  # what happens while it reads
    assert world.answer(agent, ask(payment, 400)).request.state is State.QUEUED
