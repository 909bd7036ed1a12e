"""Every fault: what the client sees, whether it was executed, what the arbiter and the log say."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
import stripe

from adapters.sandbox.faults import KINDS
from tests.sandbox.conftest import MakeClient
from tests.stack import PATIENCE_SECONDS
from tests.twin import UNTIL_FORGOTTEN, Twin

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
DELAYS = ("delay_before", "delay_after")
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


def order(twin: Twin, make_client: MakeClient, kind: str, payment: str) -> stripe.StripeClient:
    """Orders the fault for the payment's refund, and makes a client that does not wait for the end of a delay."""
    delayed = kind in DELAYS
    delay_ms = UNTIL_FORGOTTEN if delayed else 0
    twin.fault(kind, path="/v1/refunds", method="POST", payment=payment, delay_ms=delay_ms)
    return make_client(judged=False, timeout=0.3 if delayed else PATIENCE_SECONDS)


def let_go(twin: Twin) -> None:
    """The fault has struck once; the call that it delays goes on."""
    twin.until(lambda: [fault["fired"] for fault in twin.faults()] == [1])
    twin.forget_faults()


def test_the_table_has_every_fault() -> None:
    assert set(TABLE) == set(KINDS) - {"refuse_connection"}


@pytest.mark.parametrize("kind", TABLE)
def test_a_fault_does_what_it_says(twin: Twin, make_client: MakeClient, kind: str) -> None:
    expected = TABLE[kind]
    payment = twin.payment()
    client = order(twin, make_client, kind, payment)
    if expected.error is None:
        assert REPLIES[kind](send(client, payment))
    else:
        with pytest.raises(expected.error):
            send(client, payment)
    let_go(twin)
    [call] = twin.settled_calls()
    assert (call["status"], call["key"], call["replayed"]) == (expected.status, "k", False)
    assert call["fault"] == (None if kind in DELAYS else kind)
    assert sum(write["amount"] for write in twin.writes(payment)) == expected.executed


@pytest.mark.parametrize("kind", TABLE)
def test_the_same_key_after_a_fault(twin: Twin, make_client: MakeClient, kind: str) -> None:
    expected = TABLE[kind]
    payment = twin.payment()
    client = order(twin, make_client, kind, payment)
    with suppress(stripe.StripeError, AttributeError):
        send(client, payment)
    let_go(twin)
    twin.settled_calls()
    if expected.then == "500 again":
        with pytest.raises(stripe.APIError) as caught:
            send(client, payment)
        assert caught.value.headers["Idempotent-Replayed"] == "true"  # type: ignore[index]  # the SDK types headers as optional
    else:
        refund = send(client, payment).to_dict()
        assert refund["status"] == "succeeded"
        assert (refund["id"], refund["currency"]) == (twin.writes(payment)[0]["id"], "usd")
    assert twin.calls()[-1]["replayed"] is (expected.then != "executed")
    [write] = twin.writes(payment)
    assert write["http_calls"] == 2
