"""Test cards and what they do to later refunds (STRIPE.md §8)."""

from dataclasses import dataclass
from typing import Literal

from adapters.sandbox import errors
from adapters.sandbox.shelf import Document


@dataclass(frozen=True)
class Card:
    """How a payment made with it behaves."""

    last4: str | None
    """The end of its number; None for what is no card."""
    brand: str = "visa"
    method_type: str = "card"
    refund_status: Literal["succeeded", "pending", "requires_action"] = "succeeded"
    later: Literal["reference", "succeed", "fail"] | None = "reference"
    """What happens to a refund by itself, some time after its creation."""
    disputed: bool = False

    @property
    def details(self) -> Document:
        """What a charge shows of it."""
        if self.last4 is None:
            return {"type": self.method_type}
        card = {
            "brand": self.brand,
            "exp_month": 12,
            "exp_year": 2034,
            "funding": "credit",
            "last4": self.last4,
        }
        return {"type": self.method_type, "card": card}


_VISA = Card("4242")
_BYPASSING = Card("0077")
_PENDING = Card("7726", refund_status="pending", later="succeed")
_FAILING = Card("5126", later="fail")
_DISPUTED = Card("0259", disputed=True)
# Konbini, PromptPay and the like: the customer must give bank details first. Stripe has no test payment
# method for it that works without a browser, so the twin has its own.
_ASKING = Card(None, method_type="konbini", refund_status="requires_action", later=None)

_CARDS = {
    "pm_card_visa": _VISA,
    "pm_card_mastercard": Card("4444", brand="mastercard"),
    "pm_card_amex": Card("0005", brand="amex"),
    "tok_visa": _VISA,
    "4242424242424242": _VISA,
    "pm_card_bypassPending": _BYPASSING,
    "4000000000000077": _BYPASSING,
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
