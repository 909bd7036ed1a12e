"""From Stripe's JSON to the facts the core knows. What is missing or odd is refused, never filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from governor.domain.payments import Dispute, PaymentFacts, PaymentMethod, ProviderRefund
from governor.ports.provider import REQUEST_ID_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable

    Json = Mapping[str, object]

PAYMENT_ID = re.compile(r"pi_[A-Za-z0-9_]{1,250}")
CHARGE_ID = re.compile(r"(?:ch|py)_[A-Za-z0-9_]{1,250}")
"""Cards have `ch_…`, local methods can have `py_…` (STRIPE.md §1)."""
"""A PaymentIntent's id. Anything else is refused before it comes near a URL."""

_CONNECT_FIELDS = ("transfer_data", "on_behalf_of", "application_fee_amount")
_CURRENCY = re.compile(r"[a-z]{3}")
_WORD = re.compile(r"[a-z0-9_]{1,40}")
_LAST4 = re.compile(r"[0-9]{4}", re.ASCII)
_LATEST_SECOND = 253_402_300_799  # the last second of the year 9999

_DISPUTES = {
    "warning_needs_response": Dispute.INQUIRY,
    "warning_under_review": Dispute.INQUIRY,
    "warning_closed": Dispute.INQUIRY,
    "won": Dispute.WON,
    "lost": Dispute.LOST,
}
_STRICTNESS = (Dispute.NONE, Dispute.WON, Dispute.INQUIRY, Dispute.OPEN, Dispute.LOST)


class UnreadableError(ValueError):
    """The provider's JSON lacks what a fact needs, or contradicts itself. Carries none of its text."""


def refund_from(body: object) -> ProviderRefund:
    """A refund as Stripe shows it (STRIPE.md §1: only id, amount and currency are always there).

    Raises:
        UnreadableError: it is no refund.
    """
    refund = _object(body, "refund")
    metadata = refund.get("metadata")
    ours = metadata.get(REQUEST_ID_METADATA) if isinstance(metadata, Mapping) else None
    return ProviderRefund(
        id=_text(refund, "id"),
        payment=_reference(refund, "payment_intent"),
        amount_minor=_amount(refund, "amount"),
        currency=_currency(refund),
        status=_optional_text(refund, "status"),
        request_id=ours if isinstance(ours, str) else None,
        created_at=moment_of(refund.get("created")),
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
    intent = _object(intent_body, "payment_intent")
    charge = charge_of(intent)
    if _text(intent, "id") != payment or (charge and _currency(charge) != _currency(intent)):
        raise UnreadableError("another payment")
    return PaymentFacts(
        payment=payment,
        account=account,
        currency=_currency(intent),
        captured_minor=_amount(charge, "amount_captured") if charge else 0,
        customer=_reference(intent, "customer") or (_reference(charge, "customer") if charge else None),
        livemode=True in {_flag(part, "livemode") for part in (intent, charge) if part},
        refundable_status=charge is not None and _refundable(intent, charge),
        dispute=_dispute(charge, disputes),
        charge=_text(charge, "id") if charge else None,
        refunds=refunds,
        read_at=read_at,
        paid_at=moment_of(charge["created"]) if charge and charge.get("created") is not None else None,
        method=_method(charge) if charge else None,
        connected=_connected(intent),
    )


def payment_paid_by(charge: object, named: str) -> str | None:
    """The payment that this charge paid; None for a charge that was made without one.

    Raises:
        UnreadableError: it is not the charge that was asked for, or it does not say.
    """
    shown = _object(charge, "charge")
    if _text(shown, "id") != named:
        raise UnreadableError("another charge")
    payment = _reference(shown, "payment_intent")
    if payment is not None and not PAYMENT_ID.fullmatch(payment):
        raise UnreadableError("no payment")
    return payment


def charge_of(intent: Json) -> Json | None:
    """The expanded charge of a PaymentIntent, None when nobody has tried to pay yet.

    Raises:
        UnreadableError: it was not expanded.
    """
    charge = intent.get("latest_charge")
    return None if charge is None else _object(charge, "charge")


def is_disputed(charge: Json | None) -> bool:
    """Whether the charge has a dispute of any kind; an inquiry and a won one count (STRIPE.md, recordings).

    Raises:
        UnreadableError: the charge does not say.
    """
    return charge is not None and _flag(charge, "disputed")


def _refundable(intent: Json, charge: Json) -> bool:
    paid = intent.get("status") == "succeeded" and charge.get("status") == "succeeded"
    return paid and not _connected(intent) and _flag(charge, "captured")


def _connected(intent: Json) -> bool:
    return any(intent.get(name) for name in _CONNECT_FIELDS)


def _method(charge: Json) -> PaymentMethod | None:
    """What people recognise it by. It decides nothing, so what is odd in it is left out and makes nothing unreadable."""
    details = charge.get("payment_method_details")
    kind = _matching(details, "type", _WORD)
    if kind is None or not isinstance(details, Mapping):
        return None
    # The hash that is named like the type: of cards, but bank accounts have their last digits in theirs, too.
    return PaymentMethod(
        kind, _matching(details.get(kind), "brand", _WORD), _matching(details.get(kind), "last4", _LAST4)
    )


def _matching(body: object, name: str, pattern: re.Pattern[str]) -> str | None:
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _dispute(charge: Json | None, disputes: Iterable[object]) -> Dispute:
    """The strictest of all disputes; a charge that says it is disputed but shows none is taken as open."""
    if not is_disputed(charge):
        return Dispute.NONE
    known = [_DISPUTES.get(_text(_object(d, "dispute"), "status"), Dispute.OPEN) for d in disputes]
    return max(known, key=_STRICTNESS.index, default=Dispute.OPEN)


def _object(body: object, kind: str) -> Json:
    if not isinstance(body, Mapping) or body.get("object") != kind:
        raise UnreadableError(f"no {kind}")
    return body


def _text(body: Json, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise UnreadableError(f"no {name}")
    return value


def _optional_text(body: Json, name: str) -> str | None:
    return None if body.get(name) is None else _text(body, name)


def _reference(body: Json, name: str) -> str | None:
    """The id of another object, which Stripe shows as an id or, expanded, as the object."""
    value = body.get(name)
    return _text(value, "id") if isinstance(value, Mapping) else _optional_text(body, name)


def _currency(body: Json) -> str:
    currency = _text(body, "currency")
    if not _CURRENCY.fullmatch(currency):
        raise UnreadableError("no currency")
    return currency


def _amount(body: Json, name: str) -> int:
    value = body.get(name)
    if type(value) is not int or value < 0:
        raise UnreadableError(f"no {name}")
    return value


def moment_of(seconds: object) -> datetime:
    """Whole seconds since the epoch, as Stripe tells time.

    Raises:
        UnreadableError: it is no time.
    """
    if type(seconds) is not int or not 0 <= seconds <= _LATEST_SECOND:
        raise UnreadableError("no time")
    return datetime.fromtimestamp(seconds, UTC)


def _flag(body: Json, name: str) -> bool:
    value = body.get(name)
    if not isinstance(value, bool):
        raise UnreadableError(f"no {name}")
    return value
