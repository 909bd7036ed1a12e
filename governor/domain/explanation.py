"""Why a request was decided as it was: its own record, evaluated once more (CONSOLE §2, "Why page").

What a decision rested on is kept with the request: the arithmetic of every limit, and every rule that fired with its
grounds. From these the conclusion is found again, without looking at anything that has changed since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from governor.domain.admission import Denial
from governor.domain.late_limits import POLICY
from governor.domain.requests import RefundRequest
from governor.domain.rules import RuleEffect, RuleMode


class Conclusion(StrEnum):
    """What was decided, as far as limits and rules can say it."""

    AT_ONCE = "at_once"
    APPROVAL = "approval"
    NO_LIMIT = "no_limit"
    LIMIT_EXCEEDED = "limit_exceeded"
    POLICY_DENIED = "policy_denied"


_OF_THE_PAYMENT = frozenset(
    {
        Denial.PAYMENT_NOT_REFUNDABLE,
        Denial.PAYMENT_DISPUTED,
        Denial.POSSIBLE_DUPLICATE,
        Denial.AMOUNT_EXCEEDS_REFUNDABLE,
    }
)
"""Reasons that lie in the payment as it was then: its facts are not kept with a denial."""


@dataclass(frozen=True)
class Explanation:
    """`found` is the conclusion drawn anew, None where the record cannot tell; `observed` when nothing was blocked."""

    recorded: str
    found: Conclusion | None
    observed: bool

    @property
    def agrees(self) -> bool | None:
        """Whether the record leads to what was decided; None where it cannot tell."""
        if self.found is None:
            return None
        return self.observed or self.found.value == self.recorded


def explain(request: RefundRequest) -> Explanation:
    """The decision of a request, explained by what is kept of it."""
    recorded = _recorded(request)
    if request.denial in _OF_THE_PAYMENT:
        return Explanation(recorded, None, observed=False)
    found = _evaluated(request)
    let_past = POLICY in request.unproven or found.value in {denial.value for denial in Denial}
    observed = request.denial is None and let_past
    return Explanation(recorded, found, observed)


def fits(line: Mapping[str, Any]) -> bool:
    """Whether a request fitted under a limit, by the arithmetic that is kept of it."""
    return bool(line["settled"] + line["reserved"] + line["requested"] <= line["cap"])


def _recorded(request: RefundRequest) -> str:
    if request.denial is not None:
        return request.denial.value
    return (Conclusion.APPROVAL if request.quorum else Conclusion.AT_ONCE).value


def _evaluated(request: RefundRequest) -> Conclusion:
    """In the order in which reasons are looked for (domain/admission)."""
    if not any(line["measure"] == "amount" for line in request.limits):
        return Conclusion.NO_LIMIT
    if not all(fits(line) for line in request.limits):
        return Conclusion.LIMIT_EXCEEDED
    effects = {rule["effect"] for rule in request.rules if rule["mode"] == RuleMode.ENFORCE}
    if RuleEffect.DENY in effects:
        return Conclusion.POLICY_DENIED
    asked = RuleEffect.APPROVAL in effects or any(asks_approval(request, line) for line in request.limits)
    return Conclusion.APPROVAL if asked else Conclusion.AT_ONCE


def asks_approval(request: RefundRequest, line: Mapping[str, Any]) -> bool:
    """Whether this limit asked for approval of the request, which passed its threshold of then."""
    above = request.shown.get("held_above")
    return (
        line["limit"] == request.shown.get("held_by_limit")
        and above is not None
        and line["requested"] > above
    )
