"""Why: a past decision explained by what was kept of it, and evaluated once more."""

from __future__ import annotations

from flask import Response

from governor.console.page import EVERYONE, Page
from governor.console.verdict import DENIALS
from governor.console.visit import Visit
from governor.domain.audit import Sealed
from governor.domain.credentials import Role
from governor.domain.explanation import asks_approval, explain, fits
from governor.ports.records import TrailFilter

_READERS = (Role.OPERATOR, Role.AUDITOR)
MOST_ROWS = 100
"""The newest rows about one request; the trail has the others."""

_DECIDING = frozenset({"refund_request.admitted", "refund_request.denied"})
"""What the row is called that was written with the decision."""

VERDICTS = {
    "at_once": "Admitted at once: it fitted every limit, and no rule asked for people.",
    "approval": "Held for approval.",
    **{denial.value: f"Denied. {words}" for denial, words in DENIALS.items()},
}


def _why(visit: Visit, request_id: str) -> Response:
    request = visit.use.queries.request(visit.caller, request_id)
    explanation, rows = explain(request), _rows(visit, request.id)
    return visit.show(
        "why.html",
        request=request,
        explanation=explanation,
        recorded=VERDICTS[explanation.recorded],
        found=None if explanation.found is None else VERDICTS[explanation.found],
        lines=[(line, fits(line), asks_approval(request, line)) for line in request.limits],
        rows=rows,
        revision=next(
            (row.entry.facts.get("limits_revision") for row in rows if row.entry.action in _DECIDING), None
        ),
        reads_trail=visit.caller.role in _READERS,
    )


def _rows(visit: Visit, request_id: str) -> tuple[Sealed, ...]:
    """What the trail says of it, for those who read the trail."""
    if visit.caller.role not in _READERS:
        return ()
    about = TrailFilter(objects=(request_id,))
    return visit.use.audit.read.end_of(visit.environment, about, None, None, at_most=MOST_ROWS)


PAGES = (
    Page(
        "GET",
        "/refund-requests/<request_id>/why",
        _why,
        tuple(role for role in EVERYONE if role is not Role.AGENT),
        "Why it was decided so",
    ),
)
