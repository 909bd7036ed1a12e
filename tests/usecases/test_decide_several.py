"""Several holds, one word: where somebody does not answer, the rest is left, and the same word goes on later."""

from collections.abc import Callable

from governor.domain.approval import Choice
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from governor.usecases.decide_several import Line, Word
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider

OLD = 16 * 60
"""Seconds: by then the payment is read again before anybody approves."""


def test_what_comes_after_a_silent_provider_is_not_tried_and_the_same_word_goes_on_later(
    new_world: Callable[..., World],
) -> None:
    provider = FakeProvider()
    world = new_world(clock=True, provider=provider)
    world.limit(100_000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    requests = [world.request(agent, world.payment(5000), 1500) for _ in range(3)]
    holds = [world.app.queries.hold(approver, one.hold or "")[0] for one in requests]
    lines = [Line(hold.id, hold.digest, hold.version) for hold in holds]
    world.advance(OLD)
    provider.unavailable = True
    before, key = len(provider.calls), fresh_key("several")
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), key)
    assert [(one.request, type(one.left)) for one in ends] == [(None, Unavailable)] * 3
    assert len(provider.calls) == before + 1, "nobody waits for each of them in turn"
    provider.unavailable = False
    ends = world.app.decide_several(approver, lines, Word(Choice.APPROVE), key)
    assert [one.left for one in ends] == [None] * 3
    assert {world.now(one).state for one in requests} == {State.QUEUED}


def test_one_hold_named_twice_is_decided_once(new_world: Callable[..., World]) -> None:
    world = new_world(provider=FakeProvider())
    world.limit(100_000, approval_above=1000)
    request, approver = world.request(world.caller(), world.payment(5000), 1500), world.approver()
    hold = world.app.queries.hold(approver, request.hold or "")[0]
    line = Line(hold.id, hold.digest, hold.version)
    ends = world.app.decide_several(approver, [line, line], Word(Choice.APPROVE), fresh_key("several"))
    assert [one.left for one in ends] == [None]
    assert len(world.app.queries.hold(approver, hold.id)[1]) == 1
