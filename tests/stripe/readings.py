"""The reads that fixtures/cassettes/ holds: what is arranged, what is asked, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adapters.stripe.provider import StripeProvider
from governor.domain.errors import NotFound
from governor.domain.payments import Dispute
from tests.stripe.places import DISPUTED, Place


@dataclass(frozen=True)
class Reading:
    """One question. `arrange` returns the payment it is about; `ask` reduces the answer to what must be so."""

    arrange: Callable[[Place], str]
    ask: Callable[[StripeProvider, str], object]
    answer: object


def _refunded(*amounts: int) -> Callable[[Place], str]:
    def arrange(place: Place) -> str:
        payment = place.payment(5000)
        for amount in amounts:
            place.refund_elsewhere(payment, amount)
        return payment

    return arrange


def _facts(provider: StripeProvider, payment: str) -> object:
    try:
        facts = provider.read_payment(payment)
    except NotFound as error:
        return error.code
    refunds = tuple((refund.amount_minor, refund.status) for refund in facts.refunds)
    return facts.captured_minor, facts.currency, facts.dispute, facts.refundable_status, refunds


def _refunds(provider: StripeProvider, payment: str) -> object:
    return tuple(
        (refund.amount_minor, refund.currency, refund.status, refund.request_id)
        for refund in provider.list_refunds(payment)
    )


def _mode(provider: StripeProvider, _payment: str) -> object:
    return provider.read_account().livemode


READINGS = {
    "read_account": Reading(lambda _: "pi_nobody", _mode, answer=False),
    "read_payment": Reading(_refunded(700), _facts, (5000, "usd", Dispute.NONE, True, ((700, "succeeded"),))),
    "read_payment_disputed": Reading(
        lambda place: place.payment(5000, card=DISPUTED), _facts, (5000, "usd", Dispute.OPEN, True, ())
    ),
    "read_payment_unknown": Reading(lambda _: "pi_nobody", _facts, "payment_not_found"),
    "read_refunds": Reading(
        _refunded(300, 400), _refunds, ((400, "usd", "succeeded", None), (300, "usd", "succeeded", None))
    ),
}
