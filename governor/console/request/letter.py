"""What to tell the customer about a refund, in words that can be read aloud or pasted."""

from __future__ import annotations

from collections.abc import Mapping

from governor.console.payment_words import method_words
from governor.domain.lifecycle import State
from governor.domain.money import Money
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.http.money_display import amount_display

_IN_HAND = "Your refund of {amount} is being processed. We will confirm it once it has gone through."
_FINDING_OUT = (
    "We are finding out whether your refund of {amount} was made. We will tell you once it is known."
)

_LETTERS: Mapping[State, str] = {
    State.PENDING_APPROVAL: "Your refund of {amount} is being checked. Nothing has been sent yet.",
    State.QUEUED: _IN_HAND,
    State.DISPATCHING: _IN_HAND,
    State.UNKNOWN: _IN_HAND,
    State.PROVIDER_PENDING: "Your refund of {amount} is on its way{way}. It is not confirmed yet.",
    State.SUCCEEDED: (
        "We have refunded {amount}{way}. How soon you see it is up to your bank: it can take several days."
    ),
    State.FAILED: "Your refund of {amount} did not go through. No money has moved.",
    State.REVERSED: "We refunded {amount}{way}, and the bank sent it back: it has not reached you.",
}
"""Nothing that is in doubt is promised. No words for what was decided against: whether and how a customer is told of
that, the requester knows. (Stripe promises no day, either: "depending on the card network and issuing bank",
docs.stripe.com/refunds.)"""

_UNWANTED: Mapping[State, str] = {State.DISPATCHING: _FINDING_OUT, State.UNKNOWN: _FINDING_OUT}
"""Where somebody has asked to cancel what may have been made: that it goes through is neither wanted nor promised."""


def letter_to_customer(request: RefundRequest, facts: PaymentFacts | None) -> str | None:
    """The words of now; None where governor has none. The customer's own case is its reference, else the request."""
    letter = _LETTERS.get(request.state)
    if request.cancel_requested_at is not None:
        letter = _UNWANTED.get(request.state, letter)
    if letter is None:
        return None
    amount = amount_display(Money(request.amount_minor, request.currency))
    said = letter.format(amount=amount, way=_way(facts))
    return f"{said} Our reference is {request.case or request.id}."


def _way(facts: PaymentFacts | None) -> str:
    """Where it goes, by what the customer knows it by; nothing where that has no number that they could compare."""
    method = facts.method if facts else None
    return f" to the {method_words(method)}" if method and method.last4 else ""
