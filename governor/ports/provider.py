"""The payment provider as the core needs it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self

from governor.domain.outcome import Reply
from governor.domain.payments import PaymentFacts, ProviderRefund
from governor.domain.requests import RefundRequest, provider_key

REQUEST_ID_METADATA = "governor_refund_request"
"""The metadata key that carries our refund request's id into the provider (STRIPE.md §7)."""

EVENT_ID = re.compile(r"evt_[A-Za-z0-9_]{1,120}")
"""What names an event of the provider, in its webhooks and in our queue."""

EVENT_TYPES = frozenset(
    {
        "refund.created",
        "refund.updated",
        "refund.failed",
        "charge.refunded",
        "charge.refund.updated",
        "charge.dispute.created",
        "charge.dispute.updated",
        "charge.dispute.closed",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.funds_reinstated",
    }
)
"""What the provider tells that bears on refunds (STRIPE.md §5); every other event is answered and forgotten."""


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

    @classmethod
    def of(cls, request: RefundRequest) -> Self:
        """The call for a request: a function of the request alone, so that every attempt is the same."""
        return cls(
            request_id=request.id,
            payment=request.payment,
            amount_minor=request.amount_minor,
            currency=request.currency,
            reason=request.reason,
            idempotency_key=provider_key(request.id),
            account=request.account,
        )


@dataclass(frozen=True)
class ProviderAccount:
    """Which account the provider key belongs to, and whether it is a live one (it must not be)."""

    id: str
    livemode: bool


@dataclass(frozen=True)
class ProviderEvent:
    """Something that happened at the provider, reduced to where to look: the object itself is always read anew.

    `payment` and `refund` are what it is about, as far as it says; `key` is the idempotency key of the call that
    caused it, which only creation events carry (STRIPE.md §5). `account` is set for connected accounts only.
    """

    id: str
    type: str
    happened_at: datetime
    livemode: bool
    account: str | None
    payment: str | None
    refund: str | None
    key: str | None


class WebhookReader(Protocol):
    """Turns a webhook's raw body into an event, if it is one of ours."""

    def read(
        self, body: bytes, signature: str | None, secrets: Sequence[str], now: datetime
    ) -> ProviderEvent:
        """The event. `now` is the real time (UTC), against which past and future timestamps are held.

        Raises:
            Malformed: `webhook_unreadable` (no JSON event, bad UTF-8) or `webhook_signature` (missing, wrong, or
                too old or too far in the future).
        """
        ...


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

    def payment_of(self, charge: str) -> str:
        """The payment (`pi_…`) that a charge (`ch_…`, `py_…`) paid.

        Raises:
            NotFound: `payment_not_found`, also for a charge that belongs to no payment: such a one is no target
                of a refund here (STRIPE.md §1). Unavailable: `payment_facts_unavailable`.
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

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """All refunds of the account created at `since` (UTC) or later, newest first, whoever made them.

        Raises:
            Unavailable: the list could not be read to its end.
        """
        ...

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """All events of EVENT_TYPES created at `since` (UTC) or later, newest first; the provider keeps 30 days.

        Raises:
            Unavailable: the list could not be read to its end.
        """
        ...
