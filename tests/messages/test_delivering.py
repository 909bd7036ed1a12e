"""A message gets there, or it is known why not: signed, tried again for days, given up, replayed."""

import base64
import hashlib
import hmac
import threading
from datetime import timedelta

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from governor.domain.deliveries import MOST_TRIES, DeliveryState
from governor.domain.endpoints import Disabled
from governor.domain.errors import GovernorError
from tests.builders import World, fresh_key
from tests.messages.steps import deliveries, listen
from tests.receiver import Got, Receiver, status, status_after
from tests.stack import eventually
from workers import messenger


def _signed(call: Got, secret: str) -> bool:
    try:
        Webhook(secret).verify(call.body, call.headers)
    except WebhookVerificationError:
        return False
    return True


def test_a_message_is_signed_as_standard_webhooks_says(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    messenger.run_once(world.app)
    (call,) = receiver.calls
    assert made.secret is not None
    assert _signed(call, made.secret)
    words = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.body
    key = base64.b64decode(made.secret.removeprefix("whsec_"))
    by_hand = base64.b64encode(hmac.new(key, words, hashlib.sha256).digest()).decode()
    assert call.headers["webhook-signature"] == f"v1,{by_hand}"
    assert call.headers["webhook-id"].startswith("msg_")


def test_a_rotated_secret_overlaps_and_then_ends(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    ends = world.app.messages.endpoints
    rotated = ends.rotate(world.operator, made.endpoint.id, timedelta(hours=1), fresh_key("rotate"))
    messenger.run_once(world.app)
    assert made.secret is not None
    assert rotated.secret is not None
    assert {(_signed(call, made.secret), _signed(call, rotated.secret)) for call in receiver.calls} == {
        (True, True)
    }
    world.advance(3601)
    receiver.calls.clear()
    ends.test(world.operator, made.endpoint.id, fresh_key("test"))
    messenger.run_once(world.app)
    (call,) = receiver.calls
    assert (_signed(call, made.secret), _signed(call, rotated.secret)) == (False, True)


def test_an_overlap_lasts_a_week_at_most(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    for overlap in (timedelta(seconds=-1), timedelta(days=7, seconds=1)):
        with pytest.raises(GovernorError, match="validation_failed"):
            world.app.messages.endpoints.rotate(
                world.operator, made.endpoint.id, overlap, fresh_key("rotate")
            )


def test_what_is_not_taken_is_tried_for_days_under_one_id_and_then_given_up(
    world: World, receiver: Receiver
) -> None:
    receiver.answers = status(503)
    made = listen(world, receiver)
    days = 0
    while (delivery := deliveries(world, made.endpoint) or None) is None or (
        delivery[0].state is DeliveryState.PENDING
    ):
        messenger.run_once(world.app)
        days += 1
        assert days <= MOST_TRIES, "it is given up at last"
        (one,) = deliveries(world, made.endpoint)
        if one.due_at is not None:
            world.advance((one.due_at - world.app.store.real_now()).total_seconds() + 1)
    (one,) = deliveries(world, made.endpoint)
    assert one.due_at is None
    assert one.tried_at is not None
    assert (one.state, one.tries, one.last_status, one.last_error) == (
        DeliveryState.GIVEN_UP,
        MOST_TRIES,
        503,
        "http_error",
    )
    assert len(receiver.calls) == MOST_TRIES
    assert {call.headers["webhook-id"] for call in receiver.calls} == {one.message}
    assert timedelta(days=3) < one.tried_at - one.created_at < timedelta(days=4)


def test_what_was_given_up_or_delivered_can_be_replayed(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    messenger.run_once(world.app)
    (one,) = deliveries(world, made.endpoint)
    world.app.messages.endpoints.replay(world.operator, made.endpoint.id, one.message, fresh_key("replay"))
    assert deliveries(world, made.endpoint)[0].state is DeliveryState.PENDING
    messenger.run_once(world.app)
    assert [call.headers["webhook-id"] for call in receiver.calls] == [one.message, one.message]
    assert deliveries(world, made.endpoint)[0].state is DeliveryState.DELIVERED
    with pytest.raises(GovernorError, match="delivery_not_found"):
        world.app.messages.endpoints.replay(
            world.operator, made.endpoint.id, "msg_never", fresh_key("replay")
        )


def test_an_endpoint_that_took_nothing_for_days_is_disabled_and_that_is_audited(
    world: World, receiver: Receiver
) -> None:
    receiver.answers = status(500)
    made = listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    world.advance(timedelta(days=6).total_seconds())
    messenger.run_once(world.app)
    (health,) = world.app.messages.see.all(world.operator)
    assert health.endpoint.disabled_reason is Disabled.FAILING
    assert health.waiting == 0
    world.limit(6000)
    messenger.run_once(world.app)
    assert len(receiver.calls) == 2, "it gets nothing more"
    with world.app.store.reading() as reads:
        (row,) = [
            row
            for row in reads.audit(world.environment, after=0, at_most=100)
            if row.entry.action == "endpoint.disabled"
        ]
    assert (row.entry.actor, row.entry.object, row.entry.facts["why"]) == (
        "governor",
        made.endpoint.id,
        "failing",
    )
    with pytest.raises(GovernorError, match="endpoint_disabled"):
        world.app.messages.endpoints.test(world.operator, made.endpoint.id, fresh_key("test"))


def test_an_endpoint_that_says_it_is_gone_gets_nothing_more_until_it_is_enabled(
    world: World, receiver: Receiver
) -> None:
    receiver.answers = status(410)
    made = listen(world, receiver)
    messenger.run_once(world.app)
    (health,) = world.app.messages.see.all(world.operator)
    assert health.endpoint.disabled_reason is Disabled.GONE
    receiver.answers = status(200)
    world.app.messages.endpoints.enable(world.operator, made.endpoint.id)
    world.app.messages.endpoints.test(world.operator, made.endpoint.id, fresh_key("test"))
    messenger.run_once(world.app)
    told = {call.json["type"] for call in receiver.calls[1:]}  # at once: which is first, is anybody's guess
    assert told == {"endpoint.enabled", "endpoint.tested"}


def test_success_ends_a_time_of_failing(world: World, receiver: Receiver) -> None:
    receiver.answers = status(500)
    made = listen(world, receiver)
    messenger.run_once(world.app)
    assert world.app.messages.see.all(world.operator)[0].endpoint.failing_since is not None
    receiver.answers = status(204)
    world.advance(60)
    messenger.run_once(world.app)
    assert world.app.messages.see.all(world.operator)[0].endpoint.failing_since is None
    assert [one.state for one in deliveries(world, made.endpoint)] == [DeliveryState.DELIVERED]


def test_a_slow_endpoint_keeps_nobody_waiting(world: World, receiver: Receiver) -> None:
    """RELIABILITY K5: the other one is told while the slow one has not answered yet."""
    at_last = threading.Event()
    receiver.answers = status_after(at_last)
    slow = listen(world, receiver)
    with Receiver() as quick, messenger.Round(world.app) as under_way:
        made = listen(world, quick, "limit.created")
        under_way.go()
        for n in range(20):
            world.limit(5000 + n)
            under_way.go()
        eventually(lambda: under_way.go() == 0 and len(quick.calls) == 20)
        states = {one.state for one in deliveries(world, slow.endpoint)}
        assert states == {DeliveryState.PENDING, DeliveryState.SENDING}
        at_last.set()
    assert {one.state for one in deliveries(world, made.endpoint)} == {DeliveryState.DELIVERED}


def test_a_deleted_endpoint_is_forgotten_with_what_opens_it(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    world.app.messages.endpoints.delete(world.operator, made.endpoint.id)
    messenger.run_once(world.app)
    assert receiver.calls == []
    assert world.app.messages.see.all(world.operator) == ()
    with world.app.engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT target, secret, previous_secret FROM endpoints").all()
    assert [tuple(row) for row in kept] == [(None, None, None)]
