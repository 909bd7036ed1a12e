"""From Stripe's JSON to the facts the core knows. What is missing or odd is refused, never filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from adapters.stripe import fields
from adapters.stripe.fields import UnreadableError
from governor.domain.payments import Dispute, PaymentFacts, PaymentMethod, ProviderRefund
from governor.ports.provider import REQUEST_ID_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from adapters.stripe.fields import Json

PAYMENT_ID = re.compile(r"pi_[A-Za-z0-9_]{1,250}")
"""A PaymentIntent's id. Anything else is refused before it comes near a URL."""
CHARGE_ID = re.compile(r"(?:ch|py)_[A-Za-z0-9_]{1,250}")
"""Cards have `ch_…`, local methods can have `py_…` (STRIPE.md §1)."""

_CONNECT_FIELDS = ("transfer_data", "on_behalf_of", "application_fee_amount")
_WORD = re.compile(r"[a-z0-9_]{1,40}")
_LAST4 = re.compile(r"[0-9]{4}", re.ASCII)

_DISPUTES = {
    "warning_needs_response": Dispute.INQUIRY,
    "warning_under_review": Dispute.INQUIRY,
    "warning_closed": Dispute.INQUIRY,
    "won": Dispute.WON,
    "lost": Dispute.LOST,
}
_STRICTNESS = (Dispute.NONE, Dispute.WON, Dispute.INQUIRY, Dispute.OPEN, Dispute.LOST)


def refund_from(body: object) -> ProviderRefund:
    """A refund as Stripe shows it (STRIPE.md §1: only id, amount and currency are always there).

    Raises:
        UnreadableError: it is no refund.
    """
    refund = fields.an_object(body, "refund")
    metadata = refund.get("metadata")
    ours = metadata.get(REQUEST_ID_METADATA) if isinstance(metadata, Mapping) else None
    return ProviderRefund(
        id=fields.text(refund, "id"),
        payment=fields.reference(refund, "payment_intent"),
        amount_minor=fields.amount(refund, "amount"),
        currency=fields.currency(refund),
        status=fields.optional_text(refund, "status"),
        request_id=ours if isinstance(ours, str) else None,
        created_at=fields.moment(refund.get("created")),
    )


def refunds_from(bodies: Iterable[object], payment: str) -> tuple[ProviderRefund, ...]:
    """All refunds of one payment.

    Raises:
        UnreadableError: one is no refund, or belongs to another payment (a mixed-up reply).
    """
    refunds = tuple(refund_from(body) for body in bodies)
    if any(refund.payment not in {None, payment} for refund in refunds):
        raise UnreadableError("a refund of another payment")
    return refunds


def payment_from(
    intent_body: object,
    *,
    payment: str,
    account: str,
    disputes: Iterable[object],
    refunds: tuple[ProviderRefund, ...],
    read_at: datetime,
) -> PaymentFacts:
    """The facts of a PaymentIntent whose `latest_charge` was expanded.

    The ceiling is `charge.amount_captured`, 0 without a charge (STRIPE.md §1). Payments made for connected
    accounts are not refundable here: taking the money back needs more than a refund (STRIPE.md §9).

    Raises:
        UnreadableError: a fact is missing, or it is another payment.
    """
    intent = fields.an_object(intent_body, "payment_intent")
    charge = charge_of(intent)
    if fields.text(intent, "id") != payment or (
        charge and fields.currency(charge) != fields.currency(intent)
    ):
        raise UnreadableError("another payment")
    return PaymentFacts(
        payment=payment,
        account=account,
        currency=fields.currency(intent),
        captured_minor=fields.amount(charge, "amount_captured") if charge else 0,
        customer=fields.reference(intent, "customer")
        or (fields.reference(charge, "customer") if charge else None),
        livemode=True in {fields.flag(part, "livemode") for part in (intent, charge) if part},
        refundable_status=charge is not None and _refundable(intent, charge),
        dispute=_dispute(charge, disputes),
        charge=fields.text(charge, "id") if charge else None,
        refunds=refunds,
        read_at=read_at,
        paid_at=fields.moment(charge["created"]) if charge and charge.get("created") is not None else None,
        method=_method(charge) if charge else None,
        connected=_connected(intent),
    )


def payment_paid_by(charge: object, named: str) -> str | None:
    """The payment that this charge paid; None for a charge that was made without one.

    Raises:
        UnreadableError: it is not the charge that was asked for, or it does not say.
    """
    shown = fields.an_object(charge, "charge")
    if fields.text(shown, "id") != named:
        raise UnreadableError("another charge")
    payment = fields.reference(shown, "payment_intent")
    if payment is not None and not PAYMENT_ID.fullmatch(payment):
        raise UnreadableError("no payment")
    return payment


def charge_of(intent: Json) -> Json | None:
    """The expanded charge of a PaymentIntent, None when nobody has tried to pay yet.

    Raises:
        UnreadableError: it was not expanded.
    """
    charge = intent.get("latest_charge")
    return None if charge is None else fields.an_object(charge, "charge")


def is_disputed(charge: Json | None) -> bool:
    """Whether the charge has a dispute of any kind; an inquiry and a won one count (STRIPE.md, recordings).

    Raises:
        UnreadableError: the charge does not say.
    """
    return charge is not None and fields.flag(charge, "disputed")


def _refundable(intent: Json, charge: Json) -> bool:
    paid = intent.get("status") == "succeeded" and charge.get("status") == "succeeded"
    return paid and not _connected(intent) and fields.flag(charge, "captured")


def _connected(intent: Json) -> bool:
    return any(intent.get(name) for name in _CONNECT_FIELDS)


def _method(charge: Json) -> PaymentMethod | None:
    """What people recognise it by. It decides nothing, so what is odd in it is left out and makes nothing unreadable."""
    details = charge.get("payment_method_details")
    kind = fields.matching(details, "type", _WORD)
    if kind is None or not isinstance(details, Mapping):
        return None
    # The hash that is named like the type: of cards, but bank accounts have their last digits in theirs, too.
    return PaymentMethod(
        kind,
        fields.matching(details.get(kind), "brand", _WORD),
        fields.matching(details.get(kind), "last4", _LAST4),
    )


def _dispute(charge: Json | None, disputes: Iterable[object]) -> Dispute:
    """The strictest of all disputes; a charge that says it is disputed but shows none is taken as open."""
    if not is_disputed(charge):
        return Dispute.NONE
    known = [
        _DISPUTES.get(fields.text(fields.an_object(d, "dispute"), "status"), Dispute.OPEN) for d in disputes
    ]
    return max(known, key=_STRICTNESS.index, default=Dispute.OPEN)
