"""Which calls a fault strikes, how often, and the faults that need a closer look."""

import time
from itertools import count
from typing import Any

import pytest
import requests
import stripe

from tests.sandbox.conftest import MakeClient
from tests.sandbox.test_faults import AMOUNT, send
from tests.stack import PATIENCE_SECONDS
from tests.twin import UNTIL_FORGOTTEN, Twin


def test_a_fault_is_ordered_for_some_calls_only(twin: Twin, faulted: stripe.StripeClient) -> None:
    struck, spared = twin.payment(), twin.payment()
    twin.fault("error_503", payment=struck, method="POST")
    assert faulted.v1.payment_intents.retrieve(struck).id == struck
    assert send(faulted, spared, "k1").status == "succeeded"
    with pytest.raises(stripe.APIError):
        send(faulted, struck, "k2")
    assert send(faulted, struck, "k2").status == "succeeded"


def test_a_charge_names_its_payment_for_a_fault(twin: Twin, faulted: stripe.StripeClient) -> None:
    payment = twin.payment()
    charge = str(faulted.v1.payment_intents.retrieve(payment).latest_charge)
    twin.fault("error_503", payment=payment, method="POST")
    with pytest.raises(stripe.APIError):
        faulted.v1.refunds.create({"charge": charge})


def test_a_path_is_exact_unless_it_ends_in_a_slash(twin: Twin, faulted: stripe.StripeClient) -> None:
    refund = twin.dashboard_refund(twin.payment(), 100)["id"]
    twin.fault("error_503", path="/v1/refunds", times=0)
    assert faulted.v1.refunds.retrieve(refund).amount == 100
    twin.forget_faults()
    twin.fault("error_503", path="/v1/refunds/", times=0)
    assert faulted.v1.refunds.list().data[0].id == refund
    with pytest.raises(stripe.APIError):
        faulted.v1.refunds.retrieve(refund)


def test_a_fault_can_strike_twice_or_for_ever(twin: Twin, faulted: stripe.StripeClient) -> None:
    twin.fault("error_503", times=2)
    for _ in range(2):
        with pytest.raises(stripe.APIError):
            faulted.v1.balance.retrieve()
    assert faulted.v1.balance.retrieve().livemode is False
    twin.fault("rate_limit_429", times=0)
    for _ in range(5):
        with pytest.raises(stripe.RateLimitError) as caught:
            faulted.v1.balance.retrieve()
        assert caught.value.headers["Stripe-Rate-Limited-Reason"] == "endpoint-rate"  # type: ignore[index]  # the SDK types headers as optional
    assert [fault["fired"] for fault in twin.faults()] == [2, 5]


def test_a_standing_latency_and_another_fault_add_up(twin: Twin, faulted: stripe.StripeClient) -> None:
    payment = twin.payment()
    twin.fault("delay_before", times=0, delay_ms=80)
    twin.fault("drop_after", method="POST")
    began = time.monotonic()
    with pytest.raises(stripe.APIConnectionError):
        send(faulted, payment)
    assert time.monotonic() - began >= 0.08
    assert len(twin.writes(payment)) == 1
    send(faulted, payment)
    assert [fault["fired"] for fault in twin.faults()] == [2, 1]


def test_a_lock_has_no_reason_and_may_be_retried(twin: Twin, faulted: stripe.StripeClient) -> None:
    twin.fault("lock_timeout_429")
    with pytest.raises(stripe.RateLimitError) as caught:
        send(faulted, twin.payment())
    headers: Any = caught.value.headers
    assert "Stripe-Rate-Limited-Reason" not in headers
    assert headers["Stripe-Should-Retry"] == "true"
    assert caught.value.error is not None
    assert caught.value.error.code == "lock_timeout"


def test_faults_lie_about_reads_too_and_the_world_keeps_the_truth(
    twin: Twin, faulted: stripe.StripeClient
) -> None:
    payment = twin.payment()
    send(faulted, payment)
    twin.fault("other_amount", path="/v1/refunds", method="GET")
    assert faulted.v1.refunds.list({"payment_intent": payment}).data[0].amount == 2 * AMOUNT
    assert faulted.v1.refunds.list({"payment_intent": payment}).data[0].amount == AMOUNT


def test_an_overrun_ignores_the_ceiling(twin: Twin, faulted: stripe.StripeClient) -> None:
    payment = twin.payment(1000)
    twin.fault("overrun")
    assert send(faulted, payment).amount == 2 * AMOUNT
    charge: Any = faulted.v1.payment_intents.retrieve(payment, {"expand": ["latest_charge"]}).latest_charge
    assert charge.amount_refunded == 2 * AMOUNT


def test_a_refused_connection_executes_nothing_until_the_port_opens(
    twin: Twin, make_client: MakeClient
) -> None:
    client, payment = make_client(), twin.payment()
    client.v1.balance.retrieve()  # this connection is kept alive, and closed by the refusal
    twin.fault("refuse_connection", delay_ms=UNTIL_FORGOTTEN)
    with pytest.raises(stripe.APIConnectionError) as caught:
        send(client, payment)
    assert "Connection refused" in str(caught.value)
    assert [fault["fired"] for fault in twin.faults()] == [1]
    twin.forget_faults()
    assert send(client, payment).status == "succeeded"
    [write] = twin.writes(payment)
    assert write["http_calls"] == 1


def test_a_refused_port_opens_by_itself(twin: Twin, client: stripe.StripeClient) -> None:
    refusals = 0

    def is_served() -> bool:
        nonlocal refusals
        try:
            return client.v1.balance.retrieve().livemode is False
        except stripe.APIConnectionError:
            refusals += 1
            return False

    def opens_again() -> bool:
        """It may be open before a slow client comes; then it is closed for longer."""
        twin.fault("refuse_connection", delay_ms=next(milliseconds))
        twin.until(is_served)
        return refusals > 0

    milliseconds = (150 * 4**times for times in count())
    twin.until(opens_again)


@pytest.mark.parametrize(
    ("method", "sent", "reason"),
    [
        ("POST", {"kind": "earthquake"}, "kind must be one of"),
        ("POST", {"kind": "error_503", "color": 1}, "a fault has"),
        ("POST", {"kind": "error_503", "match": {"colour": "red"}}, "match has"),
        ("POST", {"kind": "error_503", "times": -1}, "times must be"),
        ("POST", {"kind": "delay_before"}, "needs delay_ms"),
        ("POST", {"kind": "refuse_connection", "match": {"method": "POST"}}, "takes delay_ms only"),
    ],
)
def test_an_order_that_means_nothing_is_refused(
    twin: Twin, method: str, sent: dict[str, Any], reason: str
) -> None:
    with pytest.raises(AssertionError, match=reason):
        twin.order(method, "/faults", sent)
    assert twin.faults() == []


def test_every_answer_says_that_it_comes_from_the_sandbox(twin: Twin) -> None:
    headers = {"Authorization": "Bearer sk_test_a"}
    for kind in (None, "error_502_html", "error_503", "redirect_302", "unauthorized_401", "not_json"):
        if kind:
            twin.fault(kind)
        response = requests.get(
            f"{twin.url}/v1/balance", headers=headers, timeout=PATIENCE_SECONDS, allow_redirects=False
        )
        assert response.headers["Stripe-Sandbox"] == "governor"
