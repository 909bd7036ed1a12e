"""Signed deliveries to registered endpoints, and every way in which they can go wrong."""

from collections.abc import Iterator
from typing import Any

import pytest
import stripe

from adapters.sandbox.deliveries import RETRY_SECONDS
from adapters.sandbox.refunds import LATE_SECONDS
from tests.sandbox.receiver import Receiver
from tests.twin import Twin

CREATION = ["refund.created", "charge.refunded"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def register(client: stripe.StripeClient, receiver: Receiver, *kinds: str) -> str:
    """Asks for ``kinds`` at the receiver; returns the signing secret."""
    wanted: Any = {"url": receiver.url, "enabled_events": list(kinds or ("*",))}
    made = client.v1.webhook_endpoints.create(wanted)
    assert made.secret is not None
    return made.secret


def refund(client: stripe.StripeClient, payment: str, key: str = "k") -> stripe.Refund:
    return client.v1.refunds.create({"payment_intent": payment, "amount": 700}, {"idempotency_key": key})


def test_a_refund_is_announced_with_its_key(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver)
    made = refund(client, payment)
    created, refunded = receiver.events(2, secret)
    assert [created["type"], refunded["type"]] == CREATION
    assert created["data"]["object"]["id"] == made.id
    assert (created["livemode"], created["api_version"]) == (False, "2026-10-28.endive")
    [call] = [call for call in twin.calls() if call["path"] == "/v1/refunds"]
    for event in (created, refunded):
        assert event["request"] == {"id": call["request_id"], "idempotency_key": "k"}
    assert refunded["data"]["object"]["amount_refunded"] == 700
    assert refunded["data"]["previous_attributes"] == {"amount_refunded": 0}


def test_another_secret_does_not_verify(twin: Twin, client: stripe.StripeClient, receiver: Receiver) -> None:
    payment = twin.payment()
    register(client, receiver)
    refund(client, payment)
    with pytest.raises(stripe.SignatureVerificationError):
        receiver.events(1, "whsec_another")


def test_a_late_failure_is_announced_without_a_key(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment(card="pm_card_refundFail")
    secret = register(client, receiver, "refund.updated", "charge.refund.updated", "refund.failed")
    made = refund(client, payment)
    twin.advance(LATE_SECONDS)
    events = receiver.events(3, secret)
    assert [event["type"] for event in events] == ["refund.updated", "charge.refund.updated", "refund.failed"]
    for event in events:
        assert event["request"] == {"id": None, "idempotency_key": None}
        assert (event["data"]["object"]["id"], event["data"]["object"]["status"]) == (made.id, "failed")
    previous = {"status": "succeeded", "failure_reason": None, "failure_balance_transaction": None}
    assert [event["data"].get("previous_attributes") for event in events] == [previous, previous, None]


def test_a_refund_of_the_dashboard_is_announced_without_key_and_metadata(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver, "refund.created")
    twin.dashboard_refund(payment, 700)
    [created] = receiver.events(1, secret)
    assert created["request"] == {"id": None, "idempotency_key": None}
    assert created["data"]["object"]["metadata"] == {}
    assert twin.writes(payment)[0]["source"] == "dashboard"


def test_an_update_of_metadata_carries_the_key_of_the_update(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    made = refund(client, twin.payment())
    secret = register(client, receiver, "refund.updated")
    client.v1.refunds.update(made.id, {"metadata": {"a": "1"}}, {"idempotency_key": "other"})
    [updated] = receiver.events(1, secret)
    assert updated["request"]["idempotency_key"] == "other"
    assert updated["data"]["previous_attributes"] == {"metadata": {"a": None}}


def test_a_replay_announces_nothing(twin: Twin, client: stripe.StripeClient, receiver: Receiver) -> None:
    payment = twin.payment()
    secret = register(client, receiver, "refund.created")
    refund(client, payment)
    refund(client, payment)
    refund(client, payment, "second")
    keys = [event["request"]["idempotency_key"] for event in receiver.events(2, secret)]
    assert keys == ["k", "second"]


def test_a_dispute_is_announced_from_its_opening_to_its_end(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver)
    twin.dispute(payment, "needs_response")
    twin.dispute(payment, "won")
    assert [event["type"].removeprefix("charge.dispute.") for event in receiver.events(4, secret)] == [
        "created",
        "funds_withdrawn",
        "closed",
        "funds_reinstated",
    ]


def test_withheld_deliveries_wait_until_they_are_released(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver)
    twin.webhooks("withhold")
    refund(client, payment)
    assert len(twin.webhooks()["waiting"]) == 2
    assert receiver.count == 0
    assert twin.webhooks("release")["mode"] == "normal"
    assert [event["type"] for event in receiver.events(2, secret)] == CREATION


def test_duplicates_are_the_same_event_twice(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver, "refund.created")
    twin.webhooks("duplicate")
    refund(client, payment)
    first, second = receiver.events(2, secret)
    assert first["id"] == second["id"]


def test_reordered_deliveries_come_newest_first(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment(card="pm_card_pendingRefund")
    secret = register(client, receiver, "refund.created", "refund.updated")
    twin.webhooks("withhold")
    refund(client, payment)
    twin.advance(LATE_SECONDS)
    twin.webhooks("reorder")
    assert [event["type"] for event in receiver.events(2, secret)] == ["refund.updated", "refund.created"]


def test_a_refused_delivery_is_tried_three_times_more_and_then_no_more(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    register(client, receiver, "refund.created")
    receiver.status = 500
    refund(client, payment)
    for attempt, seconds in enumerate(RETRY_SECONDS, start=1):
        receiver.wait_for(attempt)
        wait_until_noted(twin, attempt)
        twin.advance(seconds)
    signatures = [signature for _, signature in receiver.wait_for(1 + len(RETRY_SECONDS))]
    wait_until_noted(twin, 1 + len(RETRY_SECONDS))
    assert twin.webhooks()["waiting"] == []
    assert len(signatures) == 4
    undelivered = client.v1.events.list({"delivery_success": False})
    assert [event.type for event in undelivered.data] == ["refund.created"]


def wait_until_noted(twin: Twin, number: int) -> None:
    """Waits until the twin has seen the end of so many attempts."""
    twin.until(lambda: len(twin.webhooks()["attempts"]) >= number)


def test_a_dead_endpoint_delays_no_call(twin: Twin, client: stripe.StripeClient) -> None:
    with Receiver() as gone:
        register(client, gone)
    assert refund(client, twin.payment()).status == "succeeded"
    twin.until(lambda: len(twin.webhooks()["attempts"]) > 0)
    assert {attempt["outcome"] for attempt in twin.webhooks()["attempts"]} == {"ConnectionRefusedError"}


def test_a_delivered_event_waits_for_nobody(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    payment = twin.payment()
    secret = register(client, receiver, "refund.created")
    refund(client, payment)
    [created] = receiver.events(1, secret)
    assert created["pending_webhooks"] == 1
    twin.until(lambda: client.v1.events.retrieve(created["id"]).pending_webhooks == 0)


def test_endpoints_show_their_secret_once_and_can_be_removed(
    twin: Twin, client: stripe.StripeClient, receiver: Receiver
) -> None:
    register(client, receiver)
    [endpoint] = client.v1.webhook_endpoints.list().data
    assert "secret" not in endpoint
    assert client.v1.webhook_endpoints.retrieve(endpoint.id).url == receiver.url
    assert client.v1.webhook_endpoints.delete(endpoint.id)["deleted"] is True
    twin.payment()
    assert twin.webhooks()["waiting"] == []
    assert client.v1.webhook_endpoints.list().data == []


@pytest.mark.parametrize(
    "url", ["http://example.com/hook", "https://127.0.0.1/hook", "http://127.0.0.1:port/", "nonsense"]
)
def test_deliveries_stay_on_this_machine(client: stripe.StripeClient, url: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.webhook_endpoints.create({"url": url, "enabled_events": ["*"]})
    assert caught.value.param == "url"
