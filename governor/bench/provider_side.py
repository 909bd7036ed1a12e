"""The provider's side of a bench: payments made in the twin, its own log of calls, and a bare call of the SDK."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from adapters.stripe.client import build_client
from adapters.stripe.wire import call_within
from governor.bench.calling import Caller
from governor.bench.measure import SLOT, Call
from governor.bench.world import CAPTURED, STRIPE_KEY

REFUNDS = "/v1/refunds"
CALL_SECONDS = 30.0


def make_payments(url: str, count: int) -> tuple[str, ...]:
    """Captured payments in the twin; their ids."""
    sent = {"amount": CAPTURED, "currency": "usd"}
    with Caller(url) as control:
        return tuple(str(control("POST", "/_sandbox/payments", sent)["id"]) for _ in range(count))


def slow_refunds(url: str, delay_ms: int) -> None:
    """Let every refund take that long before it is executed, until `forget_orders`."""
    match = {"method": "POST", "path": REFUNDS}
    sent = {"kind": "delay_before", "times": 0, "delay_ms": delay_ms, "match": match}
    with Caller(url) as control:
        control("POST", "/_sandbox/faults", sent)


def forget_orders(url: str) -> None:
    """Refunds are answered at once again."""
    with Caller(url) as control:
        control("DELETE", "/_sandbox/faults")


def refunds_by_second(url: str, keys_begin: str = "governor-") -> Counter[int]:
    """How many refund calls with such keys arrived in each second, by the twin's clock."""
    with Caller(url) as control:
        calls = control("GET", "/_sandbox/calls")["calls"]
    return Counter(
        int(call["at"])
        for call in calls
        if call["method"] == "POST" and call["path"] == REFUNDS and str(call["key"]).startswith(keys_begin)
    )


def bare_refund(url: str) -> Callable[[str, int, str], None]:
    """One call of the SDK, with nothing of governor around it: payment, amount, key."""
    client = build_client(STRIPE_KEY, url)

    def call(payment: str, amount: int, key: str) -> None:
        with call_within(CALL_SECONDS, connect_seconds=CALL_SECONDS):
            client.v1.refunds.create({"payment_intent": payment, "amount": amount}, {"idempotency_key": key})

    return call


def bare_loop(context: dict[str, Any]) -> Call:
    """The yardstick of dispatch: nothing but SDK calls. Each caller has payments of its own: one call at a time each."""
    refund, payments = bare_refund(context["provider_url"]), context["payments"]
    callers, word = context["callers"], context["word"]

    def call(number: int) -> None:
        slot, step = divmod(number, SLOT)
        mine = payments[slot % callers :: callers]
        refund(mine[step % len(mine)], 1, f"bare-{word}-{number}")

    return call
