"""What marks a hold that waits, in a word or two: what speaks against approving it, and what is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from governor.domain.approval_facts import warnings_in
from governor.domain.hold_versions import CONVERSATION, open_question
from governor.usecases.waiting_holds import Waiting

_WARNINGS: Mapping[str, str] = {
    "dispute_inquiry": "The bank inquires about the payment",
    "dispute_open": "The payment is disputed",
    "dispute_lost": "The dispute over the payment was lost",
}


def marks_of(one: Waiting) -> Iterator[str]:
    """Each mark, as it can stand by itself."""
    for code in warnings_in(one.hold.shown):
        yield _WARNINGS[code]
    if not one.hold.shown.get("refundable", True):
        yield "The payment cannot be refunded in its status"
    if open_question(one.request) is not None:
        yield "A question is not answered yet"
    elif one.hold.shown.get(CONVERSATION):
        yield "A question was answered"
