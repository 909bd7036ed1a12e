"""What is said of each line where several holds are decided: what must not be overlooked, and why one was left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from governor.console.approve.marks import marks_of
from governor.console.visit import Visit
from governor.domain.care import is_above
from governor.domain.quorum import in_words
from governor.usecases.waiting_holds import Waiting

_SOON = timedelta(hours=1)

WHY_LEFT: Mapping[str, str] = {
    "hold_changed": "It changed after you had looked: look at it again.",
    "hold_already_decided": "It was decided already, or you had approved it.",
    "hold_expired": "Its time was over. Nothing was sent.",
    "confirmation_needed": "It takes a fresh proof of who you are: decide it by itself.",
    "payment_not_refundable": "The payment cannot be refunded any more.",
    "payment_disputed": "The payment is disputed: the bank decides who gets its money.",
    "amount_exceeds_refundable": "The payment has less left than this: approve less.",
    "payment_facts_unavailable": "Stripe did not answer, and its payment has to be read again before it is approved: try it later.",
    "decision_not_recorded": "It could not be recorded for certain: look at it. What came after it was not tried.",
    "frozen": "The environment waits for an operator. What came after it was not tried.",
    "credential_invalid": "You are no approver here any more.",
}


def warnings_of(
    one: Waiting, chosen: Sequence[Waiting], everything: Sequence[Waiting], visit: Visit
) -> Iterator[str]:
    """What is to be seen at one of the `chosen` lines before all of them are decided with one word."""
    request, here = one.request, visit.shell.environment
    for mark in marks_of(one):
        yield f"{mark}."
    twins = sum(other.request.payment == request.payment for other in chosen) - 1
    if twins:
        yield f"{twins} more of these {'is' if twins == 1 else 'are'} of the same payment."
    beside = sum(
        other.request.customer == request.customer and other not in chosen
        for other in everything
        if request.customer is not None
    )
    if beside:
        yield f"{beside} more of this customer {'waits' if beside == 1 else 'wait'}, and {'is' if beside == 1 else 'are'} not selected."
    if one.attention.looker is not None and one.attention.looker.person != visit.caller.credential.owner:
        yield f"{one.attention.looker.person} is looking at it."
    if one.left and one.why_not is None:
        yield f"Your approval is not enough. It still needs {in_words(one.left)}."
    if is_above(here.type_above, request.amount_minor, request.currency):
        yield "It is so large that its amount is typed: approve it by itself."
    if one.hold.expires_at - visit.now <= _SOON:
        yield "It ends within the hour."
