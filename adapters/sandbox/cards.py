"""Test cards and what they do to later refunds (STRIPE.md §8)."""

from dataclasses import dataclass
from typing import Literal

from adapters.sandbox import errors


@dataclass(frozen=True)
class Card:
    """How a payment made with it behaves."""

    method_type: str = "card"
    refund_status: Literal["succeeded", "pending", "requires_action"] = "succeeded"
    later: Literal["reference", "succeed", "fail"] | None = "reference"
    """What happens to a refund by itself, some time after its creation."""
    disputed: bool = False


_ORDINARY = Card()
_PENDING = Card(refund_status="pending", later="succeed")
_FAILING = Card(later="fail")
_DISPUTED = Card(disputed=True)
# Konbini, PromptPay and the like: the customer must give bank details first. Stripe has no test payment
# method for it that works without a browser, so the twin has its own.
_ASKING = Card(method_type="konbini", refund_status="requires_action", later=None)

_CARDS = {
    "pm_card_visa": _ORDINARY,
    "pm_card_mastercard": _ORDINARY,
    "pm_card_amex": _ORDINARY,
    "tok_visa": _ORDINARY,
    "4242424242424242": _ORDINARY,
    "pm_card_bypassPending": _ORDINARY,
    "4000000000000077": _ORDINARY,
    "pm_card_pendingRefund": _PENDING,
    "tok_pendingRefund": _PENDING,
    "4000000000007726": _PENDING,
    "pm_card_refundFail": _FAILING,
    "tok_refundFail": _FAILING,
    "4000000000005126": _FAILING,
    "pm_card_createDispute": _DISPUTED,
    "tok_visa_createDispute": _DISPUTED,
    "4000000000000259": _DISPUTED,
    "pm_sandbox_konbini": _ASKING,
}


def card_named(name: str) -> Card:
    """The test card of that name, token or number.

    Raises:
        Refusal: ``resource_missing`` for any other name.
    """
    if name not in _CARDS:
        raise errors.missing("PaymentMethod", name, param="payment_method", status=400)
    return _CARDS[name]
