"""What a reconciliation found, as people read it: whether somebody must look, at what, and how both planes stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.reconciliation import Explanation

EXPLANATIONS: Mapping[Explanation, str] = {
    Explanation.MATCHES: "Taken here as it is there",
    Explanation.OVERRUN: "More left than was asked for",
    Explanation.REVERSED: "It failed there, and takes nothing here any more",
    Explanation.NOT_SENT: "Held here, and not sent yet",
    Explanation.IN_DOUBT: "In doubt: held here until there is proof",
    Explanation.MANUAL: "Two people said how it ended",
    Explanation.UNGOVERNED: "Made elsewhere, and counted by the limits",
    Explanation.BEFORE_GOVERNOR: "Made elsewhere before governor was there; no limit counts it",
    Explanation.INCONSISTENT: "Stripe shows another amount, payment or currency",
    Explanation.CLAIMS_UNKNOWN_REQUEST: "It names a request that is not here",
    Explanation.NOT_IN_BOOKS: "Stripe has it, and governor does not know it",
    Explanation.NOT_AT_PROVIDER: "governor has it, and Stripe's list does not",
    Explanation.UNEXPLAINED: "Taken here otherwise than it is there, and nothing says why",
}
"""Why the planes agree on a line, or why they differ."""


@dataclass(frozen=True)
class Reconciled:
    """The summary of a run (governor.usecases.work_reconcile); amounts in minor units of `currency`, times in UTC.

    `reasons` are how many lines have which explanation, most first; `unexplained` are the first of those that somebody
    must look at, each with its explanation in words, `count` how many there are.
    """

    currency: str
    since: datetime
    until: datetime
    asked_provider: bool
    lines: int
    count: int
    exposure: Mapping[str, int]
    evidence: Mapping[str, int]
    difference: int
    reasons: tuple[tuple[str, int], ...]
    unexplained: tuple[tuple[Mapping[str, Any], str], ...]


def reconciled(summary: Mapping[str, Any]) -> Reconciled:
    """What a run that came to its end has said."""
    totals = summary["totals"]
    counts = sorted(summary["explanations"].items(), key=lambda one: -one[1])
    return Reconciled(
        summary["currency"],
        datetime.fromisoformat(summary["from"]),
        datetime.fromisoformat(summary["to"]),
        summary["compared_with_provider"],
        summary["lines"],
        summary["unexplained"],
        totals["exposure"],
        totals["evidence"],
        totals["difference"],
        tuple((EXPLANATIONS[Explanation(code)], count) for code, count in counts),
        tuple((one, EXPLANATIONS[Explanation(one["explanation"])]) for one in summary["unexplained_lines"]),
    )
