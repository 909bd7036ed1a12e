"""Everything that happened to a refund request, moment by moment, as callers see it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from governor.api.output import Output, Time
from governor.domain.approval import Choice, Vote
from governor.domain.hold_versions import CONVERSATION
from governor.domain.requests import RefundRequest
from governor.ports.records import RecordedEvidence


class MomentOut(Output):
    """One moment of a request: it was requested, approved, returned, answered, rejected, wished away, or evidence came.

    `amount` is how much was asked for or approved. What comes after it is of evidence only; `attempt` is null for what
    answers no one call.
    """

    recorded_at: Time
    event: str
    actor: str | None = None
    reason: str | None = None
    amount: int | None = None
    source: str | None = None
    outcome: str | None = None
    attempt: int | None = None
    http_status: int | None = None
    provider_request_id: str | None = None
    provider_reference: str | None = None
    provider_status: str | None = None


def shown_timeline(
    request: RefundRequest,
    votes: Sequence[tuple[Vote, datetime]],
    evidence: Sequence[RecordedEvidence],
    *,
    own: bool = True,
) -> list[dict[str, Any]]:
    """Everything that happened to a request, oldest first; what people wrote only where it is the caller's `own`."""
    denied = request.denial
    moments = [
        MomentOut(
            recorded_at=request.created_at,
            event="denied" if denied else "requested",
            actor=request.requested_by,
            reason=denied,
            amount=request.asked_amount_minor,
        )
    ]
    moments += [_voted(vote, at, own=own) for vote, at in votes]
    moments += [
        MomentOut(
            recorded_at=datetime.fromisoformat(said["at"]),
            event="answered",
            actor=said["person"],
            reason=said["text"] if own else None,
        )
        for said in request.shown.get(CONVERSATION, ())
        if said["kind"] == "answer"
    ]
    if request.cancel_requested_at is not None:
        moments.append(MomentOut(recorded_at=request.cancel_requested_at, event="cancel_requested"))
    moments += [shown_evidence(recorded) for recorded in evidence]
    moments.sort(key=lambda moment: moment.recorded_at)
    return [moment.model_dump(mode="json") for moment in moments]


_WORDS = {
    Choice.APPROVE: "approved",
    Choice.APPROVE_LESS: "approved_less",
    Choice.RETURN: "returned",
    Choice.REJECT: "rejected",
}


def _voted(vote: Vote, at: datetime, *, own: bool) -> MomentOut:
    return MomentOut(
        recorded_at=at,
        event=_WORDS[vote.choice],
        actor=vote.credential,
        reason=vote.reason if own else None,
        amount=vote.amount_minor,
    )


def shown_evidence(recorded: RecordedEvidence) -> MomentOut:
    """A piece of evidence as a moment."""
    evidence = recorded.evidence
    return MomentOut(
        recorded_at=recorded.recorded_at,
        event="evidence",
        source=evidence.source,
        outcome=evidence.outcome,
        attempt=evidence.attempt,
        reason=recorded.reason,
        http_status=recorded.http_status,
        provider_request_id=recorded.provider_request_id,
        provider_reference=evidence.refund.id if evidence.refund else None,
        provider_status=evidence.refund.status if evidence.refund else None,
    )
