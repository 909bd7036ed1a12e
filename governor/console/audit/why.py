"""Why: a past decision explained by what was kept of it, and evaluated once more."""

from __future__ import annotations

from flask import Response

from governor.console.audit.told_rows import told
from governor.console.page import EVERYONE, Page
from governor.console.request.story import voted
from governor.console.verdict import DENIALS
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.explanation import asks_approval, explain, fits

_READERS = (Role.OPERATOR, Role.AUDITOR)

_DECIDING = frozenset({"refund_request.admitted", "refund_request.denied"})
"""What the row is called that was written with the decision."""

VERDICTS = {
    "at_once": "Admitted at once: it fitted every limit, and no rule asked for people.",
    "approval": "Held for approval.",
    **{denial.value: f"Denied. {words}" for denial, words in DENIALS.items()},
}


def _why(visit: Visit, request_id: str) -> Response:
    story = visit.use.browse.story(visit.caller, request_id)
    request, explanation = story.request, explain(story.request)
    return visit.show(
        "why.html",
        request=request,
        explanation=explanation,
        recorded=VERDICTS[explanation.recorded],
        found=None if explanation.found is None else VERDICTS[explanation.found],
        lines=[(line, fits(line), asks_approval(request, line)) for line in request.limits],
        votes=[voted(vote, at, request.currency) for vote, at in story.votes],
        rows=[told(row) for row in story.moves],
        revision=next(
            (row.entry.facts.get("limits_revision") for row in story.moves if row.entry.action in _DECIDING),
            None,
        ),
        reads_trail=visit.caller.role in _READERS,
    )


PAGES = (
    Page(
        "GET",
        "/refund-requests/<request_id>/why",
        _why,
        tuple(role for role in EVERYONE if role is not Role.AGENT),
        "Why it was decided so",
    ),
)
