"""What endpoints were told is removed when it is old; what happened stays in the audit trail."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from adapters.sql import telling
from governor.domain.deliveries import DeliveryState
from governor.domain.errors import GovernorError
from tests.builders import World, close, fresh_key
from tests.fakes.provider import FakeProvider
from tests.messages.steps import deliveries, listen
from tests.receiver import Receiver, status
from workers import messenger

KEPT = timedelta(days=180)


def _later(world: World, than: timedelta) -> None:
    world.advance((KEPT + than).total_seconds())


def test_messages_go_when_they_are_old_and_the_trail_stays(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    (old,) = deliveries(world, made.endpoint)
    _later(world, timedelta(minutes=-1))
    assert world.app.messages.forget() == 0
    world.limit(6000)
    messenger.run_once(world.app)
    _later(world, timedelta(minutes=1))
    assert world.app.messages.forget() == 1
    assert old not in deliveries(world, made.endpoint)
    assert len(deliveries(world, made.endpoint)) == 1
    with pytest.raises(GovernorError, match="delivery_not_found"):
        world.app.messages.endpoints.replay(world.operator, made.endpoint.id, old.message, fresh_key())
    assert world.app.messages.forget() == 0
    messenger.run_once(world.app)
    assert len(receiver.calls) == 2, "what is forgotten is not told again"
    with world.app.store.reading() as reads:
        trail = reads.audit(world.environment, after=0, at_most=100)
    assert [row.entry.action for row in trail].count("limit.created") == 2


def test_what_is_on_its_way_stays_however_old(world: World, receiver: Receiver) -> None:
    receiver.answers = status(503)
    made = listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    _later(world, timedelta(days=1))
    assert world.app.messages.forget() == 0
    receiver.answers = status(200)
    messenger.run_once(world.app)
    assert [one.state for one in deliveries(world, made.endpoint)] == [DeliveryState.DELIVERED]
    assert world.app.messages.forget() == 1


def test_what_was_on_its_way_to_an_endpoint_that_is_closed_keeps_nothing_from_being_forgotten(
    world: World, receiver: Receiver
) -> None:
    receiver.answers = status(503)
    made = listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    world.app.messages.endpoints.delete(world.operator, made.endpoint.id)
    with world.app.engine.begin() as connection:
        connection.execute(text("UPDATE deliveries SET state = 'pending', due_at = created_at"))
    _later(world, timedelta(minutes=1))
    assert world.app.messages.forget() == 1


def test_a_little_at_a_time_in_every_environment(
    world: World, new_world: Callable[..., World], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.sql.outgoing.AT_ONCE", 2)
    assert telling.AT_ONCE > 2, "as much as ever is told at once"
    there = new_world(provider=FakeProvider(), environment="elsewhere")
    close(there.app)
    there.app = world.app
    for place in (world, there):
        listen(place, receiver, "limit.created")
        for n in range(3):
            place.limit(5000 + n)
    messenger.run_once(world.app)
    _later(world, timedelta(minutes=1))
    assert [world.app.messages.forget() for _ in range(3)] == [4, 2, 0]


def test_while_somebody_tells_endpoints_nothing_is_forgotten(world: World, receiver: Receiver) -> None:
    """Both hold the environment's place in its trail."""
    listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    _later(world, timedelta(minutes=1))
    outgoing = world.app.messages.forget.outgoing
    with outgoing.trail(world.environment) as trail:
        assert trail is not None
        assert world.app.messages.forget() == 0
    assert world.app.messages.forget() == 1
