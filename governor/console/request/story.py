"""What happened to a refund request, moment by moment, in words: asked, decided, sent, learnt, settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from governor.console.words import spaced
from governor.domain.approval import Choice, Vote
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


_VOTES: Mapping[Choice, tuple[str, str]] = {
    Choice.APPROVE: ("Approved", "success"),
    Choice.APPROVE_LESS: ("Approved in part", "success"),
    Choice.RETURN: ("Sent back with a question", "warning"),
    Choice.REJECT: ("Rejected", "danger"),
}

_MOVES: Mapping[str, tuple[str, str]] = {
    "refund_request.claimed": ("Taken up by a worker, to be sent", "info"),
    "hold.taken_back": ("The approval was taken back: it waits again", "warning"),
    "refund_request.lease_lost": ("The worker was lost: whether it was sent is not known", "warning"),
    "refund_request.expired": ("Nobody decided in time", "secondary"),
    "refund_request.canceled": ("Canceled", "secondary"),
    "refund_request.escalated": ("An approver called for somebody else", "warning"),
    "refund_request.nudged": ("Its approvers were reminded", "info"),
    "refund_request.flagged": ("An operator is asked to look at it", "warning"),
    "refund_request.parked": ("Waits until a limit that came later has room", "warning"),
    "refund_request.capacity_proven": ("Every limit of now has room for it", "info"),
    "refund_request.resolution_proposed": (
        "One person said how it ended; a second has to say the same",
        "warning",
    ),
    "refund_request.resolved": ("Two people said how it ended", "info"),
    "refund_request.resolution_contradicted": ("Evidence says otherwise than people did", "danger"),
}
"""Moves that neither a vote nor a piece of evidence tells of. What else the trail has is told by those."""

_OUTCOMES: Mapping[str, tuple[str, str]] = {
    "accepted": ("The provider has the refund", "success"),
    "rejected": ("The provider refused it", "danger"),
    "not_executed": ("Proven not executed", "secondary"),
    "unknown": ("No proof of what happened", "warning"),
}


def story_of(told: RefundStory, *, with_words: bool) -> list[Moment]:
    """Everything that happened to a request, oldest first; what people wrote only `with_words`."""
    request = told.request
    moments = [_asked(request), *_answers(request)]
    moments += [_voted(vote, at, request.currency) for vote, at in told.votes]
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


def _voted(vote: Vote, at: datetime, currency: str) -> Moment:
    words, tone = _VOTES[vote.choice]
    if vote.amount_minor is not None:
        words = f"{words}: {amount_display(Money(vote.amount_minor, currency))}"
    places = (("In the place of", ", ".join(vote.instead_of)),) if vote.instead_of else ()
    return Moment(at, words, tone, by=vote.person, theirs=vote.reason, details=places)


def _moved(row: Sealed) -> Moment:
    words, tone = _MOVES[row.entry.action]
    attempt = row.entry.facts.get("attempt")
    details = (("Attempt", str(attempt)),) if attempt is not None else ()
    by = row.entry.facts.get("person") or row.entry.actor
    return Moment(row.at, words, tone, by=str(by), details=details)


def _learnt(recorded: RecordedEvidence) -> Moment:
    evidence = recorded.evidence
    words, tone = _OUTCOMES.get(str(evidence.outcome), ("Something was learnt", "secondary"))
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
