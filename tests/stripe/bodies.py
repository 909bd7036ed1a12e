"""Orders and the JSON that Stripe answers them with."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from adapters.stripe.access import StripeAccess
from adapters.stripe.provider import StripeProvider
from governor.domain.outcome import Outcome, Reply
from governor.ports.provider import REQUEST_ID_METADATA, RefundOrder
from tests.stack import PATIENCE_SECONDS

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
REQUEST_ID = "req_Abc123"
STRIPE_SAYS = {"Request-Id": REQUEST_ID, "Stripe-Version": "2026-10-28.endive"}
REPLAYED = {**STRIPE_SAYS, "Idempotent-Replayed": "true"}

ORDER = RefundOrder(
    request_id="rr_1",
    payment="pi_1",
    amount_minor=700,
    currency="usd",
    reason="requested_by_customer",
    idempotency_key="governor-rr_1",
    account="acct_1",
)


def provider_at(url: str, **options: Any) -> StripeProvider:
    """The adapter, pointed at a loopback server, which it gives all the time it needs."""
    times = dict.fromkeys(("connect_seconds", "read_seconds"), PATIENCE_SECONDS)
    return StripeProvider(StripeAccess("sk_test_Loopback1", url, **(times | options)), now=lambda: NOW)


def cut_short(provider: StripeProvider) -> Reply:
    """The answer to a first call that was sent and met its deadline; where a slow machine sent nothing in time, a later one."""
    for seconds in (0.4, 4.0, 40.0):
        answer = provider.create_refund(ORDER, first=True, deadline_seconds=seconds)
        if answer.outcome is not Outcome.NOT_EXECUTED:
            return answer
    raise AssertionError("no call was sent")


def order(**changes: Any) -> RefundOrder:
    return replace(ORDER, **changes)


def refund(**changes: Any) -> dict[str, Any]:
    """The refund that ORDER asks for, as Stripe shows it."""
    return {
        "id": "re_1",
        "object": "refund",
        "amount": 700,
        "charge": "ch_1",
        "created": 1795953600,
        "currency": "usd",
        "metadata": {REQUEST_ID_METADATA: "rr_1"},
        "payment_intent": "pi_1",
        "reason": "requested_by_customer",
        "status": "succeeded",
        **changes,
    }


def error(type_: str = "invalid_request_error", **fields: Any) -> dict[str, Any]:
    """Stripe's error body. Its message is a trap: it must show up nowhere."""
    return {"error": {"type": type_, "message": "TRAP cardholder@example.com", **fields}}


def charge(**changes: Any) -> dict[str, Any]:
    return {
        "id": "ch_1",
        "object": "charge",
        "amount": 5000,
        "amount_captured": 5000,
        "amount_refunded": 0,
        "captured": True,
        "currency": "usd",
        "customer": "cus_1",
        "disputed": False,
        "livemode": False,
        "payment_intent": "pi_1",
        "payment_method_details": {
            "type": "card",
            "card": {"brand": "visa", "last4": "4242", "fingerprint": "TRAP"},
        },
        "status": "succeeded",
        **changes,
    }


def intent(**changes: Any) -> dict[str, Any]:
    return {
        "id": "pi_1",
        "object": "payment_intent",
        "amount": 5000,
        "currency": "usd",
        "customer": "cus_1",
        "latest_charge": charge(),
        "livemode": False,
        "status": "succeeded",
        **changes,
    }


def page(*items: dict[str, Any], has_more: bool = False) -> dict[str, Any]:
    return {"object": "list", "url": "/v1/refunds", "has_more": has_more, "data": list(items)}
