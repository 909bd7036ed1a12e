"""What Stripe says around a payment: early fraud warnings of its charge, and its customer's other charges."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from adapters.stripe import fields
from adapters.stripe.fields import UnreadableError
from governor.domain.background import CHARGES_AT_MOST, Background, CustomerPast

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.stripe.access import StripeAccess
    from adapters.stripe.fields import Json
    from governor.domain.payments import PaymentFacts

Fact = TypeVar("Fact")


class StripeBackground:
    """`governor.ports.background.BackgroundReader`. Two reads of one page each, whatever there is, and in a hurry.

    A restricted key may lack the right to one of them: what it must not read is not known, and the rest is.

    Raises:
        Forbidden: `live_mode_refused` for any key but a test key. Invalid: `base_url` is no address.
    """

    def __init__(self, access: StripeAccess, *, now: Callable[[], datetime]) -> None:
        self._access = replace(access, connect_seconds=1.0, read_seconds=4.0)
        self._client = self._access.client()
        self._now = now

    def read(self, facts: PaymentFacts) -> Background | None:
        """What it says now, within the deadline in all; None when there is neither a charge nor a customer."""
        charge, customer = facts.charge, facts.customer
        if charge is None and customer is None:
            return None
        with self._access.within():
            warning = _if_readable(lambda: self._is_warned_of(charge)) if charge else None
            past = _if_readable(lambda: self._past_of(customer)) if customer else None
        return Background.looked(self._now(), warning, past)

    def _is_warned_of(self, charge: str) -> bool:
        """Whether the issuer has warned of this charge."""
        found = self._client.v1.radar.early_fraud_warnings.list({"charge": charge, "limit": 1}).to_dict()
        warnings = [fields.an_object(one, "radar.early_fraud_warning") for one in fields.page(found)[0]]
        if any(fields.reference(one, "charge") != charge for one in warnings):
            raise UnreadableError("a warning of another charge")
        return bool(warnings)

    def _past_of(self, customer: str) -> CustomerPast:
        found = self._client.v1.charges.list({"customer": customer, "limit": CHARGES_AT_MOST}).to_dict()
        return past_from(found, customer)


def past_from(body: Json, customer: str) -> CustomerPast:
    """What a page of a customer's charges says.

    Raises:
        UnreadableError: it is no such page, or a charge lacks what is counted.
    """
    data, more = fields.page(body)
    charges = [fields.an_object(one, "charge") for one in data]
    if any(fields.reference(one, "customer") != customer for one in charges):
        raise UnreadableError("a charge of another customer")
    taken = [
        one for one in charges if one.get("status") == "succeeded" and fields.amount(one, "amount_captured")
    ]
    paid, refunded = Counter[str](), Counter[str]()
    for one in taken:
        paid[fields.currency(one)] += fields.amount(one, "amount_captured")
        refunded[fields.currency(one)] += fields.amount(one, "amount_refunded")
    return CustomerPast(
        first_at=min((fields.moment(one.get("created")) for one in taken), default=None),
        paid=len(taken),
        refunded=sum(fields.amount(one, "amount_refunded") > 0 for one in taken),
        disputed=sum(fields.flag(one, "disputed") for one in taken),
        paid_minor=dict(paid),
        refunded_minor=dict(+refunded),
        whole=not more,
    )


def _if_readable(read: Callable[[], Fact]) -> Fact | None:
    """What is read; None for whatever comes in the way: it is only shown, and nobody's refund waits for it."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - whatever it is, it was not read
        return None
