"""What the provider says about a payment, and the ceiling it puts on refunds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from governor.domain.errors import Conflict, Forbidden

COMMITTED_STATUSES = frozenset({"pending", "requires_action", "succeeded"})
"""Refunds in these statuses use up the captured amount (STRIPE.md §1, end)."""


class Dispute(StrEnum):
    """How a dispute bears on refunds. An inquiry and a won dispute leave the payment refundable."""

    NONE = "none"
    INQUIRY = "inquiry"
    OPEN = "open"
    WON = "won"
    LOST = "lost"


@dataclass(frozen=True)
class PaymentMethod:
    """With what a payment was made, in the provider's own words, as far as it was said.

    `type` is "card", "konbini" and so on; a card has a `brand`, cards and bank accounts their last four digits. No more
    is kept of it: neither number nor fingerprint nor name.
    """

    type: str
    brand: str | None = None
    last4: str | None = None


@dataclass(frozen=True)
class ProviderRefund:
    """One refund as the provider shows it. `request_id` is our id in its metadata, if it is there.

    `status` is the provider's own word, None when it said none; unknown words are kept as they came.
    """

    id: str
    payment: str | None
    amount_minor: int
    currency: str
    status: str | None
    request_id: str | None
    created_at: datetime | None = None
    """When the provider made it (UTC, whole seconds); None when a reply did not say."""


@dataclass(frozen=True)
class PaymentFacts:
    """A payment as read from the provider at `read_at` (UTC). All amounts in minor units of `currency`."""

    payment: str
    account: str
    currency: str
    captured_minor: int
    customer: str | None
    livemode: bool
    refundable_status: bool
    dispute: Dispute
    charge: str | None
    refunds: tuple[ProviderRefund, ...]
    read_at: datetime
    paid_at: datetime | None = None
    """When the charge was made (UTC, whole seconds); None when the provider did not say."""
    method: PaymentMethod | None = None
    """With what it was paid; None when the provider did not say. It is shown, and decides nothing."""
    connected: bool | None = None
    """Whether it was made for a connected account (STRIPE.md §9), which makes it unrefundable here; None: not looked at."""


def refuse_unfit(facts: PaymentFacts, currency: str) -> None:
    """Refuse before anything is reserved what can never be a refund of this payment.

    Raises:
        Forbidden: `live_mode_refused` for a live payment (DESIGN §8).
        Conflict: `currency_mismatch`.
    """
    if facts.livemode:
        raise Forbidden(
            "live_mode_refused", "The payment is a live payment; governor works in test mode only."
        )
    if facts.currency != currency:
        raise Conflict(
            "currency_mismatch",
            f"The payment is in {facts.currency}, the request in {currency}.",
            {"payment_currency": facts.currency},
        )
