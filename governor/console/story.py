"""What happened to a refund request, moment by moment, in words: asked, decided, sent, learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.console.words import spaced
from governor.domain.approval import Choice, Vote
from governor.domain.requests import RefundRequest
from governor.ports.records import RecordedEvidence


@dataclass(frozen=True)
class Moment:
    """One moment. `words` are ours, `theirs` is what a person wrote, `by` the credential that did it."""

    at: datetime
    words: str
    tone: str = "secondary"
    by: str | None = None
    theirs: str | None = None
    details: tuple[tuple[str, str], ...] = ()


_VOTES = {Choice.APPROVE: ("Approved", "success"), Choice.REJECT: ("Rejected", "danger")}


def story_of(
    request: RefundRequest,
    votes: Sequence[tuple[Vote, datetime]],
    evidence: Sequence[RecordedEvidence],
) -> list[Moment]:
    """Everything that happened to a request, oldest first."""
    moments = [_asked(request)]
    for vote, at in votes:
        said, tone = _VOTES[vote.choice]
        moments.append(Moment(at, said, tone, by=vote.credential, theirs=vote.reason))
    if request.cancel_requested_at is not None:
        moments.append(Moment(request.cancel_requested_at, "No longer wanted", "warning"))
    moments += [_learnt(recorded) for recorded in evidence]
    return sorted(moments, key=lambda moment: moment.at)


def _asked(request: RefundRequest) -> Moment:
    if request.denial is not None:
        return Moment(
            request.created_at,
            f"Asked for, and denied: {spaced(request.denial)}",
            "danger",
            by=request.requested_by,
        )
    held = ", and held for approval" if request.quorum else ", and capacity was held"
    return Moment(request.created_at, f"Asked for{held}", "info", by=request.requested_by)


_OUTCOMES = {
    "accepted": ("The provider has the refund", "success"),
    "rejected": ("The provider refused it", "danger"),
    "not_executed": ("Proven not executed", "secondary"),
    "unknown": ("No proof of what happened", "warning"),
}


def _learnt(recorded: RecordedEvidence) -> Moment:
    evidence = recorded.evidence
    said, tone = _OUTCOMES.get(str(evidence.outcome), ("Something was learnt", "secondary"))
    refund = evidence.refund
    details = [("Learnt from", spaced(evidence.source)), ("Because", spaced(recorded.reason))]
    if evidence.attempt is not None:
        details.append(("Attempt", str(evidence.attempt)))
    if refund is not None:
        details += [("Refund", refund.id), ("Status there", spaced(refund.status or "not given"))]
    if recorded.http_status is not None:
        details.append(("Answer", f"HTTP {recorded.http_status}"))
    if recorded.provider_request_id is not None:
        details.append(("Call", recorded.provider_request_id))
    return Moment(recorded.recorded_at, said, tone, details=tuple(details))
