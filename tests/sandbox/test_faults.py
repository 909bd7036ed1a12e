"""Every fault: what the client sees, whether it was executed, what the arbiter and the log say."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import stripe

from adapters.sandbox.faults import KINDS
from tests.sandbox.conftest import MakeClient
from tests.twin import Twin

AMOUNT = 700


@dataclass(frozen=True)
class Seen:
    """What one refund call under a fault looks like from outside."""

    error: type[Exception] | None
    status: int | str
    """As the call log has it."""
    executed: int
    """Amount that really left, in minor units."""
    then: str
    """A call with the same key afterwards: executed, replayed, or the 500 again."""


NO = 0
TABLE = {
    # kind               what the SDK raises                      logged     left        same key again
    "reset_before":      Seen(stripe.APIConnectionError,          "dropped", NO,         "executed"),
    "drop_before":       Seen(stripe.APIConnectionError,          "dropped", NO,         "executed"),
    "drop_after":        Seen(stripe.APIConnectionError,          "dropped", AMOUNT,     "replayed"),
    "error_500_before":  Seen(stripe.APIError,                    500,       NO,         "executed"),
    "error_500_after":   Seen(stripe.APIError,                    500,       AMOUNT,     "500 again"),
    "error_502_html":    Seen(stripe.APIError,                    502,       NO,         "executed"),
    "error_503":         Seen(stripe.APIError,                    503,       NO,         "executed"),
    "rate_limit_429":    Seen(stripe.RateLimitError,              429,       NO,         "executed"),
    "lock_timeout_429":  Seen(stripe.RateLimitError,              429,       NO,         "executed"),
    "key_in_use_409":    Seen(stripe.APIError,                    409,       NO,         "executed"),
    "unauthorized_401":  Seen(stripe.AuthenticationError,         401,       NO,         "executed"),
    "forbidden_403":     Seen(stripe.PermissionError,             403,       NO,         "executed"),
    "truncate_body":     Seen(stripe.APIConnectionError,          200,       AMOUNT,     "replayed"),
    "not_json":          Seen(stripe.APIError,                    200,       AMOUNT,     "replayed"),
    "json_not_object":   Seen(None,                               200,       AMOUNT,     "replayed"),
    "redirect_302":      Seen(stripe.APIConnectionError,          302,       NO,         "executed"),
    "other_amount":      Seen(None,                               200,       AMOUNT,     "replayed"),
    "overrun":           Seen(None,                               200,       2 * AMOUNT, "replayed"),
    "other_currency":    Seen(None,                               200,       AMOUNT,     "replayed"),
    "missing_id":        Seen(None,                               200,       AMOUNT,     "replayed"),
    "unknown_status":    Seen(None,                               200,       AMOUNT,     "replayed"),
    "null_status":       Seen(None,                               200,       AMOUNT,     "replayed"),
    "delay_before":      Seen(stripe.APIConnectionError,          200,       AMOUNT,     "replayed"),
    "delay_after":       Seen(stripe.APIConnectionError,          200,       AMOUNT,     "replayed"),
}  # fmt: skip

# What the SDK hands over as if it were a refund; a JSON list comes out as a plain list.
REPLIES: dict[str, Callable[[Any], bool]] = {
    "json_not_object": lambda reply: reply == ["welcome"],
    "other_amount": lambda reply: reply["amount"] == 2 * AMOUNT,
    "overrun": lambda reply: reply["amount"] == 2 * AMOUNT,
    "other_currency": lambda reply: reply["currency"] == "eur",
    "missing_id": lambda reply: "id" not in reply.to_dict(),
    "unknown_status": lambda reply: reply["status"] == "settling",
    "null_status": lambda reply: reply["status"] is None,
}


def send(client: stripe.StripeClient, payment: str, key: str = "k") -> stripe.Refund:
    return client.v1.refunds.create({"payment_intent": payment, "amount": AMOUNT}, {"idempotency_key": key})


def test_the_table_has_every_fault() -> None:
    assert set(TABLE) == set(KINDS) - {"refuse_connection"}


@pytest.mark.parametrize("kind", TABLE)
def test_a_fault_does_what_it_says(twin: Twin, make_client: MakeClient, kind: str) -> None:
    expected = TABLE[kind]
    payment = twin.payment()
    is_delay = kind.startswith("delay")
    client = make_client(judged=False, timeout=0.3 if is_delay else 10)
    twin.fault(kind, path="/v1/refunds", method="POST", payment=payment, delay_ms=600 if is_delay else 0)
    if expected.error is None:
        assert REPLIES[kind](send(client, payment))
    else:
        with pytest.raises(expected.error):
            send(client, payment)
    [call] = twin.settled_calls()
    assert (call["status"], call["key"], call["replayed"]) == (expected.status, "k", False)
    assert call["fault"] == (None if is_delay else kind)
    assert sum(write["amount"] for write in twin.writes(payment)) == expected.executed
    assert [fault["fired"] for fault in twin.faults()] == [1]


@pytest.mark.parametrize("kind", TABLE)
def test_the_same_key_after_a_fault(twin: Twin, make_client: MakeClient, kind: str) -> None:
    expected = TABLE[kind]
    payment = twin.payment()
    is_delay = kind.startswith("delay")
    client = make_client(judged=False, timeout=0.3 if is_delay else 10)
    twin.fault(kind, path="/v1/refunds", method="POST", payment=payment, delay_ms=600 if is_delay else 0)
    with suppress(stripe.StripeError, AttributeError):
        send(client, payment)
    twin.settled_calls()
    if expected.then == "500 again":
        with pytest.raises(stripe.APIError) as caught:
            send(client, payment)
        assert caught.value.headers["Idempotent-Replayed"] == "true"  # type: ignore[index]
    else:
        refund = send(client, payment).to_dict()
        assert refund["status"] == "succeeded"
        assert (refund["id"], refund["currency"]) == (twin.writes(payment)[0]["id"], "usd")
    assert twin.calls()[-1]["replayed"] is (expected.then != "executed")
    [write] = twin.writes(payment)
    assert write["http_calls"] == 2


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
        assert caught.value.headers["Stripe-Rate-Limited-Reason"] == "endpoint-rate"  # type: ignore[index]
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
    twin.fault("refuse_connection", delay_ms=60_000)
    with pytest.raises(stripe.APIConnectionError) as caught:
        send(client, payment)
    assert "Connection refused" in str(caught.value)
    assert [fault["fired"] for fault in twin.faults()] == [1]
    twin.forget_faults()
    assert send(client, payment).status == "succeeded"
    [write] = twin.writes(payment)
    assert write["http_calls"] == 1


def test_a_refused_port_opens_by_itself(twin: Twin, client: stripe.StripeClient) -> None:
    twin.fault("refuse_connection", delay_ms=150)
    deadline = time.monotonic() + 10
    refusals = 0
    while True:
        try:
            assert client.v1.balance.retrieve().livemode is False
            break
        except stripe.APIConnectionError:
            refusals += 1
            assert time.monotonic() < deadline
    assert refusals > 0


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
        response = requests.get(f"{twin.url}/v1/balance", headers=headers, timeout=10, allow_redirects=False)
        assert response.headers["Stripe-Sandbox"] == "governor"
