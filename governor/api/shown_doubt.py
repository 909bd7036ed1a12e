"""A refund request in doubt as operators see it: what is at risk, what is known, and what may be its refund."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from governor.api.output import Output, Time
from governor.api.shown_requests import RefundRequestOut, shown_request
from governor.api.shown_timeline import MomentOut, shown_evidence, shown_timeline
from governor.domain.audit import Sealed
from governor.domain.doubt import Candidate, DoubtTotal, age_bucket, in_doubt_since
from governor.domain.recovery import key_expires_at
from governor.domain.requests import HoldRow, provider_key
from governor.domain.resolutions import Proposal, standing
from governor.ports.records import InDoubt, RecordedEvidence
from governor.usecases.callers import Caller
from governor.usecases.unknown_desk import EvidencePack


class AtRiskOut(Output):
    """Money that may have left, in minor units."""

    amount: int
    currency: str


class ProposalOut(Output):
    """How one person says that it ended, after looking at so many attempts."""

    outcome: str
    person: str
    reason: str
    attempts: int
    proposed_at: Time


class DoubtOut(Output):
    """What bears on a request in doubt. `proposal` waits for a second person.

    `age_seconds` counts from the first send. The key may be sent again for `key_remaining_seconds` at most.
    """

    age_seconds: int
    age_bucket: str
    money_at_risk: AtRiskOut
    provider_key: str
    key_expires_at: Time | None
    key_remaining_seconds: int
    attempts: int
    looks: int
    flagged_at: Time | None
    next_look_at: Time | None
    last_reason: str | None
    provider_request_ids: list[str]
    proposal: ProposalOut | None


class UnknownOut(RefundRequestOut, DoubtOut):
    """A refund request on the unknown desk."""


class TotalOut(Output):
    """How many requests of one currency and age are in doubt, and how much they may have moved."""

    currency: str
    age_bucket: str
    count: int
    amount: int


class UnknownListOut(Output):
    """A page of the desk, longest in doubt first. `summary` adds up all of the desk."""

    data: list[UnknownOut]
    has_more: bool
    next_cursor: str | None
    summary: list[TotalOut]


class AttemptOut(Output):
    """One call: when a worker took it, and all that answered it."""

    attempt: int
    claimed_at: Time | None
    evidence: list[MomentOut]


class HoldShareOut(Output):
    """What the request occupies of one counter of a limit, as the limit measures."""

    limit: str
    counter: int
    amount: int
    settled: int
    state: str


class TrailOut(Output):
    """A row of the audit trail about this request."""

    seq: int
    at: Time
    actor: str
    action: str
    facts: dict[str, Any]


class CandidateOut(Output):
    """A refund of the same payment as the provider shows it now, and what of it fits the request."""

    id: str
    amount: int
    currency: str
    status: str | None
    created_at: Time | None
    names_request: str | None
    matches: list[str]
    is_ours: bool


class BearingOut(Output):
    """What is known beside the request itself. `candidates` is null when the provider could not be read."""

    read_at: Time
    timeline: list[MomentOut]
    attempts_made: list[AttemptOut]
    holds: list[HoldShareOut]
    resolutions: list[ProposalOut]
    trail: list[TrailOut]
    candidates: list[CandidateOut] | None
    candidates_unavailable: str | None


class EvidencePackOut(UnknownOut, BearingOut):
    """Everything about one request, as one document."""


def shown_total(total: DoubtTotal) -> dict[str, Any]:
    """One sum of the desk."""
    return TotalOut(
        currency=total.currency, age_bucket=total.age_bucket, count=total.count, amount=total.amount_minor
    ).model_dump(mode="json")


def shown_unknown(item: InDoubt, speaking: frozenset[str], caller: Caller, now: datetime) -> dict[str, Any]:
    """One request of the desk; `speaking` are the credentials whose proposals still count."""
    request = item.request
    age, expires = now - in_doubt_since(request), key_expires_at(request)
    left = 0 if expires is None else max(0, int((expires - now).total_seconds()))
    waiting = standing(request, item.proposals, speaking)
    doubt = DoubtOut(
        age_seconds=max(0, int(age.total_seconds())),
        age_bucket=age_bucket(age),
        money_at_risk=AtRiskOut(amount=request.amount_minor, currency=request.currency),
        provider_key=provider_key(request.id),
        key_expires_at=expires,
        key_remaining_seconds=left,
        attempts=request.attempts,
        looks=request.looks,
        flagged_at=request.flagged_at,
        next_look_at=request.due_at,
        last_reason=request.last_reason,
        provider_request_ids=list(item.provider_requests),
        proposal=None if waiting is None else proposal_out(waiting),
    )
    return {**shown_request(request, caller), **doubt.model_dump(mode="json")}


def shown_pack(pack: EvidencePack, caller: Caller) -> dict[str, Any]:
    """The evidence pack as one document."""
    found = pack.candidates
    bearing = BearingOut(
        read_at=pack.at,
        timeline=[MomentOut(**one) for one in shown_timeline(pack.item.request, (), pack.evidence)],
        attempts_made=_attempts(pack.trail, pack.evidence),
        holds=[_hold(row) for row in pack.holds],
        resolutions=[proposal_out(one) for one in pack.item.proposals],
        trail=[_row(sealed) for sealed in pack.trail],
        candidates=None if found is None else [_candidate(one) for one in found],
        candidates_unavailable=pack.candidates_unavailable,
    )
    return {**shown_unknown(pack.item, pack.speaking, caller, pack.at), **bearing.model_dump(mode="json")}


def proposal_out(proposal: Proposal) -> ProposalOut:
    """What one person says."""
    return ProposalOut(
        outcome=proposal.outcome,
        person=proposal.person,
        reason=proposal.reason,
        attempts=proposal.attempts,
        proposed_at=proposal.proposed_at,
    )


def _attempts(trail: Sequence[Sealed], evidence: Sequence[RecordedEvidence]) -> list[AttemptOut]:
    claimed = {
        sealed.entry.facts["attempt"]: sealed.at
        for sealed in trail
        if sealed.entry.action == "refund_request.claimed"
    }
    numbers = {*claimed, *(one.evidence.attempt for one in evidence if one.evidence.attempt is not None)}
    return [
        AttemptOut(
            attempt=number,
            claimed_at=claimed.get(number),
            evidence=[shown_evidence(one) for one in evidence if one.evidence.attempt == number],
        )
        for number in sorted(numbers)
    ]


def _hold(row: HoldRow) -> HoldShareOut:
    return HoldShareOut(
        limit=row.limit, counter=row.counter, amount=row.amount, settled=row.settled, state=row.state
    )


def _row(sealed: Sealed) -> TrailOut:
    entry = sealed.entry
    return TrailOut(
        seq=sealed.seq, at=sealed.at, actor=entry.actor, action=entry.action, facts=dict(entry.facts)
    )


def _candidate(one: Candidate) -> CandidateOut:
    refund = one.refund
    return CandidateOut(
        id=refund.id,
        amount=refund.amount_minor,
        currency=refund.currency,
        status=refund.status,
        created_at=refund.created_at,
        names_request=refund.request_id,
        matches=list(one.matches),
        is_ours=one.is_ours,
    )
