"""While a database may have forgotten that money left, nobody gives its capacity back (RELIABILITY J4, J8)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from tests.builders import World, fresh_key
from workers import cron


@pytest.fixture
def fenced(new_world: Callable[..., World]) -> World:
    """3000 of 10,000 will be held; then the fence stands."""
    world = new_world(clock=True, approval_seconds=1000)
    world.limit(10_000, approval_above=1000)
    return world


def _fence(world: World, *, up: bool = True) -> None:
    with world.app.store.environment(world.environment) as tx:
        fenced_at = tx.now if up else None
        tx.save_environment(replace(tx.here, fenced_at=fenced_at, revision=tx.here.revision + 1))


def test_what_expires_behind_the_fence_keeps_its_room_until_the_fence_is_gone(fenced: World) -> None:
    (limit,) = fenced.app.queries.limits(fenced.operator)
    waits = fenced.request(fenced.caller(), fenced.payment(5000), 3000)
    _fence(fenced)
    fenced.advance(1001)
    cron.run_once(fenced.app, sweep=False)
    assert fenced.request(fenced.caller(), fenced.payment(9000), 8000).denial == "limit_exceeded"
    assert (fenced.now(waits).state, fenced.headroom(limit)) == (State.PENDING_APPROVAL, 7000)
    _fence(fenced, up=False)
    cron.run_once(fenced.app, sweep=False)
    assert (fenced.now(waits).state, fenced.headroom(limit)) == (State.EXPIRED, 10_000)


def test_a_cancellation_behind_the_fence_is_a_wish_that_comes_true_afterwards(fenced: World) -> None:
    (limit,) = fenced.app.queries.limits(fenced.operator)
    agent = fenced.caller()
    queued = fenced.request(agent, fenced.payment(5000), 900)
    _fence(fenced)
    wished = fenced.app.cancel_refund(agent, queued.id, fresh_key("cancel")).request
    assert (wished.state, wished.cancel_requested_at is not None) == (State.QUEUED, True)
    assert fenced.headroom(limit) == 9100
    _fence(fenced, up=False)
    fenced.drain(queued)
    assert (fenced.now(queued).state, fenced.headroom(limit)) == (State.CANCELED, 10_000)
    assert fenced.writes() == []


def test_a_key_revoked_behind_the_fence_gives_its_room_back_afterwards(fenced: World) -> None:
    (limit,) = fenced.app.queries.limits(fenced.operator)
    agent = fenced.caller()
    queued = fenced.request(agent, fenced.payment(5000), 900)
    _fence(fenced)
    fenced.app.manage_credentials.revoke(fenced.operator, agent.credential.id)
    assert (fenced.now(queued).state, fenced.headroom(limit)) == (State.QUEUED, 9100)
    _fence(fenced, up=False)
    fenced.drain(queued)
    assert (fenced.now(queued).state, fenced.headroom(limit)) == (State.CANCELED, 10_000)
    assert fenced.writes() == []


def test_behind_the_fence_people_may_say_yes_and_ask_but_give_nothing_back(fenced: World) -> None:
    (limit,) = fenced.app.queries.limits(fenced.operator)
    approver = fenced.approver()
    waits = fenced.request(fenced.caller(), fenced.payment(5000), 3000)
    _fence(fenced)
    for choice, amount in ((Choice.REJECT, None), (Choice.APPROVE_LESS, 100)):
        with pytest.raises(Unavailable) as refused:
            fenced.decide(approver, waits, choice, amount=amount)
        assert refused.value.code == "frozen"
    fenced.decide(approver, waits, Choice.RETURN)
    assert fenced.decide(approver, waits, Choice.APPROVE).state is State.QUEUED
    assert (fenced.drain(waits), fenced.headroom(limit)) == (0, 7000)
    _fence(fenced, up=False)
