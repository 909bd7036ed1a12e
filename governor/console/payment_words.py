"""The words for with what a payment was made, and for how refunds by it go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from governor.domain.payments import PaymentMethod

_BRANDS: Final[Mapping[str, str]] = {
    "amex": "American Express",
    "cartes_bancaires": "Cartes Bancaires",
    "diners": "Diners Club",
    "discover": "Discover",
    "eftpos_au": "Eftpos",
    "jcb": "JCB",
    "link": "Link",
    "mastercard": "Mastercard",
    "unionpay": "UnionPay",
    "visa": "Visa",
}
"""The brands of Stripe's schema (`payment_method_details.card.brand`); of any other word the card is only a card."""

_CARDS: Final = frozenset({"card", "card_present", "interac_present"})
_WITHOUT_ACCOUNT: Final = frozenset({"boleto", "customer_balance", "konbini", "promptpay"})
"""Where Stripe has no account to send the money to and asks the customer for one (STRIPE.md §1; the schema calls bank
transfers `customer_balance`)."""


def method_words(method: PaymentMethod) -> str:
    """What people know it by: "Visa card ending 4242", "us bank account ending 6789", "konbini"."""
    kind = method.type.replace("_", " ")
    if method.type in _CARDS:
        brand = _BRANDS.get(method.brand or "", "")
        kind = brand if brand.endswith("card") else f"{brand} card".lstrip()
    return f"{kind} ending {method.last4}" if method.last4 else kind


def back_to(method: PaymentMethod) -> str:
    """Where a refund goes: "to the Visa card ending 4242", "to whoever paid by konbini"."""
    has_name = method.last4 or method.type in _CARDS
    return f"to the {method_words(method)}" if has_name else f"to whoever paid by {method_words(method)}"


def refunds_by(method: PaymentMethod) -> str | None:
    """What whoever refunds should know of this kind; None for cards, whose refunds are what everybody expects."""
    if method.type in _CARDS:
        return None
    if method.type in _WITHOUT_ACCOUNT:
        return (
            "Slow: Stripe first asks the customer for a bank account, and nothing moves until they name one."
        )
    return "A bank refund: slower than to a card, and it fails where Stripe's balance of ours is too small."
