"""More waits than a desk shows: what was escalated is among what it shows, and nobody takes that for all."""

from collections.abc import Callable

import pytest

from governor.usecases import approval_desk
from tests.builders import World, fresh_key


def test_of_a_queue_that_is_too_long_what_was_escalated_is_shown_before_what_ends_sooner(
    new_world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval_desk, "AT_MOST", 2)
    world = new_world(clock=True, approval_seconds=3600)
    world.limit(100_000, approval_above=1000)
    agent, ana, desk = world.caller(), world.approver("ana"), world.app.approval_desk
    holds = []
    for seconds in (0, 600, 1200):
        world.advance(seconds)
        assert desk.queue(ana).whole, "as many as it shows are all"
        holds.append(world.request(agent, world.payment(5000), 1500).hold or "")
    first, second, last = holds
    assert [one.hold.id for one in desk.queue(ana).lines] == [first, second]
    desk.attention.escalate(ana, last, None, "Look at this.", fresh_key("call"))
    queue = desk.queue(ana)
    assert ([one.hold.id for one in queue.lines], queue.whole) == ([last, first], False)
    assert [one.hold.id for one in desk.still_waiting(ana, holds)] == [last, first, second]
    world.advance(4000)
    assert [one.hold.id for one in desk.still_waiting(ana, [first, last])] == [last], "its time is over"
