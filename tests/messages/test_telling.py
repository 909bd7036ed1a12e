"""What happened becomes messages: only what was committed, each once, and to whoever wants it."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from governor.domain.approval import Choice
from governor.domain.errors import GovernorError
from governor.domain.limits import Scope
from governor.domain.messages import Message
from tests.builders import World, ask, close, fresh_key
from tests.fakes.provider import FakeProvider
from tests.freezing import freeze, unfreeze
from tests.messages.steps import deliveries, listen, told
from tests.receiver import Receiver
from workers import messenger


def test_a_refund_is_told_from_the_hold_to_the_end(world: World, receiver: Receiver) -> None:
    world.limit(5000, approval_above=1000)
    listen(world, receiver)
    agent, approver = world.caller(), world.approver()
    request = world.request(agent, world.payment(), 1500)
    world.decide(approver, request, Choice.APPROVE)
    world.drain(request)
    messenger.run_once(world.app)
    of_it = [type_ for type_, about in told(receiver) if about == request.id]
    assert of_it == ["refund_request.held", "refund_request.queued", "refund_request.succeeded"]


def test_a_body_says_what_happened_to_which_object_and_nothing_more(world: World, receiver: Receiver) -> None:
    world.limit(5000)
    listen(world, receiver, "refund_request.queued")
    request = world.request(world.caller(), world.payment(customer="cus_ann"), 700, note="arrived broken")
    messenger.run_once(world.app)
    (call,) = receiver.calls
    assert set(call.json) == {"type", "timestamp", "data"}
    assert call.json["type"] == "refund_request.queued"
    assert call.json["data"] == {"id": request.id}
    assert call.json["timestamp"] == request.created_at.isoformat().replace("+00:00", "Z")


def test_what_was_refused_or_rolled_back_is_told_to_nobody(world: World, receiver: Receiver) -> None:
    """RELIABILITY B14: a message is about what was committed, or there is none."""
    made = listen(world, receiver)
    messenger.run_once(world.app)
    before = len(deliveries(world, made.endpoint))
    with pytest.raises(GovernorError):
        _change_a_limit_and_fail(world)
    messenger.run_once(world.app)
    assert len(deliveries(world, made.endpoint)) == before


def _change_a_limit_and_fail(world: World) -> None:
    with world.app.store.environment(world.environment) as tx:
        tx.append_audit([world.operator.entry("limit.created", "lim_never", {})])
        tx.flush()
        raise GovernorError("never", "it did not happen")


def test_an_endpoint_hears_what_it_wants_and_nothing_from_before_it_was(
    world: World, receiver: Receiver
) -> None:
    world.limit(5000)
    agent = world.caller()
    world.request(agent, world.payment(), 100)
    made = listen(world, receiver, "refund_request.denied")
    world.request(agent, world.payment(), 200)
    denied = world.request(agent, world.payment(9000), 8000)
    messenger.run_once(world.app)
    assert told(receiver) == [("refund_request.denied", denied.id)]
    assert [one.object for one in deliveries(world, made.endpoint)] == [denied.id]


def test_an_endpoint_that_is_closed_while_others_are_told_gets_nothing_more(
    world: World, receiver: Receiver
) -> None:
    gone, kept = (listen(world, receiver, "limit.created").endpoint for _ in range(2))
    world.limit(5000)
    with world.app.messages.forget.outgoing.trail(world.environment) as trail:
        assert trail is not None
        assert [one.id for one in trail.endpoints] == [gone.id, kept.id]
        row = trail.rows[-1].read()
        world.app.messages.endpoints.delete(world.operator, gone.id)
        named = world.app.messages.tell.ids.new("msg")
        message = Message(world.environment, named, row.seq, "limit.created", row.entry.object, row.at)
        trail.tell([(message, trail.endpoints)], row.seq)
    with world.app.engine.connect() as connection:
        written = connection.scalars(text("SELECT endpoint FROM deliveries")).all()
    assert written == [kept.id]


def test_each_thing_is_told_once_however_many_look(world: World, receiver: Receiver) -> None:
    world.limit(50_000)
    listen(world, receiver, "refund_request.queued")
    agent = world.caller()
    requests = [world.request(agent, world.payment(), 100) for _ in range(20)]
    other = world.another_process(loopback_endpoints=True)
    try:
        with messenger.Round(world.app) as one, messenger.Round(other) as another:
            while one.go() + another.go():
                one.until_carried()
                another.until_carried()
    finally:
        close(other)
    assert sorted(about for _, about in told(receiver)) == sorted(request.id for request in requests)


def test_limits_freezes_and_keys_are_told(world: World, receiver: Receiver) -> None:
    listen(world, receiver)
    limit = world.limit(5000)
    world.change_cap(limit, 6000)
    unfreeze(world, freeze(world, Scope.CUSTOMER, "cus_ann"))
    messenger.run_once(world.app)
    kinds = [type_ for type_, _ in told(receiver)]
    assert [kind for kind in kinds if not kind.startswith("credential")] == [
        "endpoint.created",
        "limit.created",
        "limit.changed",
        "freeze.began",
        "freeze.end_proposed",
        "freeze.ended",
    ]
    assert "credential.created" in kinds


def test_nothing_crosses_an_environment(
    world: World, new_world: Callable[..., World], receiver: Receiver
) -> None:
    there = new_world(provider=FakeProvider(), environment="elsewhere")
    there.limit(5000)
    made = listen(world, receiver)
    there.request(there.caller(), there.payment(), 100)
    messenger.run_once(world.app)
    assert {one.type for one in deliveries(world, made.endpoint)} == {"endpoint.created"}
    with pytest.raises(GovernorError, match="endpoint_not_found"):
        there.app.messages.see.deliveries(there.operator, made.endpoint.id, at_most=10)


def test_with_nobody_listening_nothing_is_read_or_kept(world: World) -> None:
    world.limit(5000)
    world.answer(world.caller(), ask(world.payment(), 100), fresh_key())
    assert world.app.messages.tell() == 0
    assert world.app.messages.tell.outgoing.untold() == ()
