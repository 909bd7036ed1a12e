"""What marks a hold that waits, in a word or two: what speaks against approving it, and what is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from governor.domain.approval_facts import warnings_in
from governor.domain.hold_versions import CONVERSATION, open_question
from governor.usecases.waiting_holds import Waiting

_WARNINGS: Mapping[str, str] = {
    "dispute_inquiry": "The bank inquires",
    "dispute_open": "Payment disputed",
    "dispute_lost": "Dispute lost",
}


def marks_of(one: Waiting) -> Iterator[str]:
    """Each mark, as it can stand by itself."""
    for code in warnings_in(one.hold.shown):
        yield _WARNINGS[code]
    if not one.hold.shown.get("refundable", True):
        yield "Payment not refundable"
    if open_question(one.request) is not None:
        yield "Question not answered"
    elif one.hold.shown.get(CONVERSATION):
        yield "Question answered"
