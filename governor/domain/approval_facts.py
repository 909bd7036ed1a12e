"""What an approver is shown of the payment: it must still be so when they approve, and when the bytes leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from governor.domain.admission import Denial, PaymentBook
from governor.domain.approval import Vote, hold_digest
from governor.domain.errors import Forbidden
from governor.domain.hold_versions import next_version
from governor.domain.payments import Dispute, PaymentFacts
from governor.domain.quorum import needs_in, still_asked
from governor.domain.requests import RefundRequest, spelled


def shown_facts(facts: PaymentFacts, book: PaymentBook) -> dict[str, Any]:
    """The payment as its approvers see it; amounts in minor units."""
    return {
        "captured": facts.captured_minor,
        "refunded_elsewhere": book.external,
        "refundable": facts.refundable_status,
        "dispute": facts.dispute.value,
        "customer": facts.customer,
    }


def warnings_in(shown: Mapping[str, Any]) -> tuple[str, ...]:
    """What an approver was shown that speaks against approving, and does not forbid it."""
    dispute = shown.get("dispute")
    return () if dispute in {None, Dispute.NONE.value, Dispute.WON.value} else (f"dispute_{dispute}",)


def with_facts(
    request: RefundRequest, facts: PaymentFacts, book: PaymentBook, now: datetime
) -> RefundRequest:
    """The request as it shows these facts: itself when they are what it shows already, however old those are."""
    seen = shown_facts(facts, book)
    if all(request.shown.get(name) == value for name, value in seen.items()):
        return request
    return next_version(request, now, {**seen, "facts_read_at": spelled(facts.read_at)})


def refuse_unpayable(
    request: RefundRequest, amount_minor: int, facts: PaymentFacts, book: PaymentBook
) -> None:
    """Refuse to approve what the payment cannot give by now: approved means it fits.

    Raises:
        Forbidden: `payment_not_refundable`, `payment_disputed`, `amount_exceeds_refundable`.
    """
    if not facts.refundable_status:
        raise Forbidden(Denial.PAYMENT_NOT_REFUNDABLE.value, "The payment cannot be refunded any more.")
    if facts.dispute in {Dispute.OPEN, Dispute.LOST}:
        raise Forbidden(
            Denial.PAYMENT_DISPUTED.value, "The payment is disputed: the bank decides who gets its money."
        )
    others = PaymentBook(book.reserved - request.amount_minor, book.settled, book.external)
    refundable = others.remaining(facts.captured_minor)
    if amount_minor > refundable:
        raise Forbidden(
            Denial.AMOUNT_EXCEEDS_REFUNDABLE.value,
            "The payment has less left than this; approve less."
            if refundable > 0
            else "The payment has nothing left.",
            {"refundable": refundable},
        )


def still_approved(request: RefundRequest, votes: Iterable[Vote]) -> bool:
    """Whether what is about to be sent is what enough people have approved, to the letter (RELIABILITY T27)."""
    shown = request.shown
    said = (shown.get("payment"), shown.get("amount"), shown.get("currency"), shown.get("account"))
    stands = hold_digest(request.hold or "", request.hold_version, shown)
    people = {vote.person: vote.instead_of for vote in votes if vote.approves == stands}
    asked = (request.payment, request.amount_minor, request.currency, request.account)
    enough = not still_asked(needs_in(shown, request.quorum), people)
    return said == asked and enough and len(people) >= request.quorum
