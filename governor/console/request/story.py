"""What happened to a refund request, moment by moment, in words: asked, decided, sent, learnt, settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from governor.console.action_words import CHOICES, OUTCOMES, action
from governor.console.words import spaced
from governor.domain.approval import Vote
from governor.domain.audit import Sealed
from governor.domain.hold_versions import CONVERSATION
from governor.domain.money import Money
from governor.domain.requests import RefundRequest
from governor.http.money_display import amount_display
from governor.ports.records import RecordedEvidence
from governor.usecases.browse import RefundStory


@dataclass(frozen=True)
class Moment:
    """One moment. `words` are ours; `theirs` is what a person wrote, `by` who did it: people by login, or governor.

    `details` are for whoever traces it further: they stand behind a fold.
    """

    at: datetime
    words: str
    tone: str = "secondary"
    by: str | None = None
    theirs: str | None = None
    details: tuple[tuple[str, str], ...] = ()


_MOVES: Mapping[str, str] = {
    "refund_request.claimed": "info",
    "hold.taken_back": "warning",
    "refund_request.lease_lost": "warning",
    "refund_request.expired": "secondary",
    "refund_request.canceled": "secondary",
    "refund_request.escalated": "warning",
    "refund_request.nudged": "info",
    "refund_request.flagged": "warning",
    "refund_request.parked": "warning",
    "refund_request.capacity_proven": "info",
    "refund_request.resolution_proposed": "warning",
    "refund_request.resolved": "info",
    "refund_request.resolution_contradicted": "danger",
}
"""Moves that neither a vote nor a piece of evidence tells of, each with its tone. What else the trail has is told by those."""


def story_of(told: RefundStory, *, with_words: bool) -> list[Moment]:
    """Everything that happened to a request, oldest first; what people wrote only `with_words`."""
    request = told.request
    moments = [_asked(request), *_answers(request)]
    moments += [voted(vote, at, request.currency) for vote, at in told.votes]
    moments += [_learnt(recorded) for recorded in told.evidence]
    moments += [_moved(row) for row in told.moves if row.entry.action in _MOVES]
    if request.cancel_requested_at is not None:
        moments.append(
            Moment(request.cancel_requested_at, "Somebody said that it is no longer wanted", "warning")
        )
    shown = moments if with_words else [replace(moment, theirs=None) for moment in moments]
    return sorted(shown, key=lambda moment: moment.at)


def _asked(request: RefundRequest) -> Moment:
    if request.denial is not None:
        words, tone = f"Asked for, and denied: {spaced(request.denial)}", "danger"
    elif request.quorum:
        words, tone = "Asked for, and held for approval", "info"
    else:
        words, tone = "Asked for, and allowed at once", "info"
    by = request.person if request.agent == request.person else f"{request.agent}, for {request.person}"
    return Moment(request.created_at, words, tone, by=by)


def _answers(request: RefundRequest) -> Iterator[Moment]:
    for said in request.shown.get(CONVERSATION, ()):
        if said["kind"] == "answer":
            at = datetime.fromisoformat(said["at"])
            yield Moment(at, "The question was answered", "info", by=said["person"], theirs=said["text"])


def voted(vote: Vote, at: datetime, currency: str) -> Moment:
    """What an approver said."""
    words, tone = CHOICES[vote.choice]
    if vote.amount_minor is not None:
        words = f"{words}: {amount_display(Money(vote.amount_minor, currency))}"
    places = (("In the place of", ", ".join(vote.instead_of)),) if vote.instead_of else ()
    return Moment(at, words, tone, by=vote.person, theirs=vote.reason, details=places)


def _moved(row: Sealed) -> Moment:
    attempt = row.entry.facts.get("attempt")
    details = (("Attempt", str(attempt)),) if attempt is not None else ()
    by = row.entry.person or row.entry.actor
    return Moment(row.at, action(row.entry.action), _MOVES[row.entry.action], by=by, details=details)


def _learnt(recorded: RecordedEvidence) -> Moment:
    evidence = recorded.evidence
    words, tone = OUTCOMES[evidence.outcome]
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
    return Moment(recorded.recorded_at, words, tone, details=tuple(details))
