"""Several holds, one word: where somebody does not answer, the rest is left, and the same word goes on later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Barrier

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.decide_several import Line, Word
from governor.usecases.read_ahead import AT_ONCE
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule
from tests.stack import PATIENCE_SECONDS

OLD = 16 * 60
"""Seconds: by then the payment is read again before anybody approves."""


def as_shown(world: World, approver: Caller, requests: Sequence[RefundRequest]) -> list[Line]:
    """The holds of these requests, as somebody has just looked at them."""
    holds = [world.app.queries.hold(approver, one.hold or "")[0] for one in requests]
    return [Line(hold.id, hold.digest, hold.version) for hold in holds]


def test_what_comes_after_a_silent_provider_is_not_tried_and_the_same_word_goes_on_later(
    new_world: Callable[..., World],
) -> None:
    provider = FakeProvider()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    requests = [world.request(agent, world.payment(5000), 1500) for _ in range(3)]
    lines = as_shown(world, approver, requests)
    world.advance(OLD)
    provider.unavailable = True
    before, key = len(provider.calls), fresh_key("several")
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), key)
    assert [(one.request, type(one.left)) for one in ends] == [(None, Unavailable)] * 3
    assert before < len(provider.calls) <= before + AT_ONCE, "nobody waits for each of them in turn"
    provider.unavailable = False
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), key)
    assert [one.left for one in ends] == [None] * 3
    assert {world.now(one).state for one in requests} == {State.QUEUED}


@pytest.mark.parametrize("quorum", [1, 2])
def test_a_repeat_is_told_what_was_decided_though_the_provider_is_silent_by_then(
    new_world: Callable[..., World], quorum: int
) -> None:
    """Whether the word ended the waiting, or others are still asked: it was counted, and nothing was left."""
    provider = FakeProvider()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    a_rule(world, quorum=quorum)
    agent, approver = world.caller(), world.approver()
    requests = [world.request(agent, world.payment(5000), 1500) for _ in range(3)]
    said = (approver, as_shown(world, approver, requests), Word(Choice.APPROVE), fresh_key("several"))
    first = world.app.decide_several(*said)
    world.advance(OLD)
    provider.unavailable = True
    assert world.app.decide_several(*said) == first
    assert [one.left for one in first] == [None] * 3
    assert {len(world.app.queries.hold(approver, one.hold)[1]) for one in first} == {1}


def test_a_silent_provider_hides_no_other_reason_and_stops_nothing_that_needs_no_look(
    new_world: Callable[..., World],
) -> None:
    provider = FakeProvider()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    old = [world.request(agent, world.payment(5000), 1500) for _ in range(3)]
    world.decide(world.approver("ben"), old[1], Choice.REJECT)
    world.advance(OLD)
    young = world.request(agent, world.payment(5000), 1500)
    lines = as_shown(world, approver, [*old, young])
    provider.unavailable = True
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), fresh_key("several"))
    silent = "payment_facts_unavailable"
    codes = [one.left.code if one.left else None for one in ends]
    assert codes == [silent, "hold_already_decided", silent, None]


@dataclass
class ReadTogether(FakeProvider):
    """From when it is told to, it answers nobody before as many have asked as may at once."""

    asked: Barrier | None = None

    def read_payment(self, payment: str) -> PaymentFacts:
        if self.asked is not None:
            self.asked.wait(PATIENCE_SECONDS)
        return super().read_payment(payment)


def test_payments_that_must_be_read_again_are_read_at_once(new_world: Callable[..., World]) -> None:
    provider = ReadTogether()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    requests = [world.request(agent, world.payment(5000), 1500) for _ in range(AT_ONCE)]
    lines = as_shown(world, approver, requests)
    world.advance(OLD)
    provider.refund_elsewhere(requests[0].payment, 700)
    provider.asked = Barrier(AT_ONCE)
    before = len(provider.calls)
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), fresh_key("several"))
    assert len(provider.calls) == before + AT_ONCE, "none is read again"
    assert [one.left.code if one.left else None for one in ends] == ["hold_changed", None, None, None]


def test_a_no_reads_nothing_at_the_provider(new_world: Callable[..., World]) -> None:
    provider = FakeProvider()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    requests = [world.request(agent, world.payment(5000), 1500) for _ in range(2)]
    lines = as_shown(world, approver, requests)
    world.advance(OLD)
    before = len(provider.calls)
    ends = world.app.decide_several(approver, lines, Word(Choice.REJECT, "no"), fresh_key("several"))
    assert ([one.left for one in ends], len(provider.calls)) == ([None, None], before)


def test_one_hold_named_twice_is_decided_once(new_world: Callable[..., World]) -> None:
    world = new_world(provider=FakeProvider())
    world.limit(100_000, approval_above=1000)
    request, approver = world.request(world.caller(), world.payment(5000), 1500), world.approver()
    (line,) = as_shown(world, approver, [request])
    ends = world.app.decide_several(approver, [line, line], Word(Choice.APPROVE), fresh_key("several"))
    assert [one.left for one in ends] == [None]
    assert len(world.app.queries.hold(approver, line.hold)[1]) == 1
