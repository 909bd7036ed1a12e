"""What the audit trail says of admissions: each decision, and what somebody should look at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from governor.domain.admission import Decision
from governor.domain.audit import Entry
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller


def decision_told(caller: Caller, request: RefundRequest, decision: Decision) -> Entry:
    """The row of a decision: no note, which may hold what a customer wrote."""
    facts = {
        "payment": request.payment,
        "amount": request.amount_minor,
        "currency": request.currency,
        "agent": request.agent,
        "from": None,
        "to": request.state.value,
        "denial": request.denial.value if request.denial else None,
        "would_deny": decision.would_deny,
        "asks_approval": decision.approval_limit,
        "fingerprint": request.fingerprint,
        "rules": [(one["rule"], one["revision"], one["effect"], one["mode"]) for one in request.rules],
        "requested": [(line.charge.limit.id, line.charge.limit.revision) for line in decision.lines],
    }
    action = "refund_request.denied" if request.denial else "refund_request.admitted"
    return caller.entry(action, request.id, facts)


def alerts(caller: Caller, request: RefundRequest, decision: Decision, now: datetime) -> Iterator[Entry]:
    """Rows of an admission that somebody should look at: a deliberate repetition, a limit that its user has raised.

    Whoever raises a limit and uses it in the same window, by any key of theirs, is told of (RELIABILITY T31).
    """
    if request.hold is None:
        return
    if request.duplicate_of is not None:
        yield caller.entry("refund_request.repeated", request.id, {"duplicate_of": request.duplicate_of})
    for charge in (line.charge for line in decision.lines):
        if charge.limit.raised_by(request.person, charge.span.since, now):
            facts = {"refund_request": request.id, "change": charge.limit.change}
            yield caller.entry("limit.raised_by_requester", charge.limit.id, facts)
