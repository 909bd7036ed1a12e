"""A recorded denial as a problem: a 4xx, so that nobody who only looks at the status says "refunded"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from governor.api.output import instant
from governor.api.problems import problem_document
from governor.api.shown_requests import shown_limit_lines, shown_request
from governor.domain.admission import Denial
from governor.domain.errors import InvariantBroken
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller

DETAILS: dict[Denial, str] = {
    Denial.PAYMENT_NOT_REFUNDABLE: "The provider does not refund a payment in this status.",
    Denial.PAYMENT_DISPUTED: "The money of a disputed payment goes back by the dispute, not by a refund.",
    Denial.POSSIBLE_DUPLICATE: "`duplicate_of` names a request for the same amount of this payment that is open or just"
    " succeeded. Do not retry with a new key; a human may repeat it deliberately.",
    Denial.AMOUNT_EXCEEDS_REFUNDABLE: "The payment has less left than this, after what is refunded and what is held.",
    Denial.NO_LIMIT: "No amount limit covers this currency here; without a limit nothing is refunded.",
    Denial.LIMIT_EXCEEDED: "`limits` shows the arithmetic of every limit that was looked at.",
    Denial.POLICY_DENIED: "`rules` shows which rules fired, and why.",
}


def denial_document(
    request: RefundRequest,
    caller: Caller,
    instance: str,
    request_id: str,
    unresolved: Iterable[RefundRequest] | None = None,
) -> dict[str, Any]:
    """The problem of a denied request, with its arithmetic and the whole refund request.

    Raises:
        InvariantBroken: a request is denied without a reason.
    """
    if request.denial is None:
        raise InvariantBroken("denied_without_reason", f"{request.id} is denied and says not why")
    shown = shown_request(request, caller, unresolved)
    return {
        **problem_document(request.denial, DETAILS[request.denial], instance, request_id),
        "state": shown["state"],
        "effect": shown["effect"],
        "money_moved": shown["money_moved"],
        "next_action": shown["next_action"],
        "next_action_at": None if request.next_action_at is None else instant(request.next_action_at),
        "retry_after_seconds": shown["retry_after_seconds"],
        "duplicate_of": request.duplicate_of,
        "limits": shown_limit_lines(request.limits, caller.role),
        "rules": shown["rules"],
        "refund_request": shown,
    }
