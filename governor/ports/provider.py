"""The payment provider as the core needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from governor.domain.outcome import Reply
from governor.domain.payments import PaymentFacts, ProviderRefund

REQUEST_ID_METADATA = "governor_refund_request"
"""The metadata key that carries our refund request's id into the provider (STRIPE.md §7)."""


@dataclass(frozen=True)
class RefundOrder:
    """One refund call, word for word. Equal for every attempt of a request, for life (invariant 5).

    `amount_minor` is always sent: an omitted amount means "all that is left" to Stripe.
    """

    request_id: str
    payment: str
    amount_minor: int
    currency: str
    reason: str | None
    idempotency_key: str
    account: str


@dataclass(frozen=True)
class ProviderAccount:
    """Which account the provider key belongs to, and whether it is a live one (it must not be)."""

    id: str
    livemode: bool


class PaymentProvider(Protocol):
    """One provider account in test mode.

    No method is ever called while a transaction is open: a provider that is slow must not hold locks.
    """

    def read_account(self) -> ProviderAccount:
        """Name the account behind the key.

        Raises:
            Unavailable: it could not be read. Forbidden: `live_mode_refused`.
        """
        ...

    def read_payment(self, payment: str) -> PaymentFacts:
        """Read a payment, its charge, disputes and *all* of its refunds.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`, also when the
            list of refunds could not be read to its end.
        """
        ...

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        """Make exactly one HTTP call and say what its reply proves. Never raises: an exception is UNKNOWN.

        `first` says that no earlier attempt of this order can have reached the provider (STRIPE.md §2a).
        The whole call ends within `deadline_seconds`, however slowly the reply drips in.
        """
        ...

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """All refunds of a payment.

        Raises:
            Unavailable: the list could not be read to its end; an incomplete list proves nothing.
        """
        ...
