"""Who may decide a hold, and whose approval counts: nobody who asked, nobody twice, nobody beyond what is theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from governor.domain.approval import APPROVING, ApprovalHold, Ballot, Choice, Vote, refuse_vote
from governor.domain.credentials import Credential, Role, hands
from governor.domain.duties import asked_for, in_one_hand, refuse_one_hand
from governor.domain.errors import Conflict, Forbidden, GovernorError
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.domain.stand_ins import ALONE, Acting


def refuse_approver(
    request: RefundRequest,
    requester: Sequence[Credential],
    chain: Sequence[Credential],
    ballot: Ballot,
    acting: Acting = ALONE,
) -> None:
    """Refuse whoever asked for the refund or could have, and an approval of more than the approver may approve.

    `requester` and `chain` are the credentials of the request and of the approver with their ancestors; `acting` says
    for whom the approver acts, who must not have asked for it either. Saying no is within everybody's limit.

    Raises:
        Forbidden: `self_approval` (invariant 14), `above_own_limit`.
    """
    if asked_for(request, requester, chain):
        raise Forbidden("self_approval", "Nobody decides a request of their own, with any of their keys.")
    if in_one_hand(requester, chain):
        raise Forbidden(
            "self_approval",
            "Whoever made the key that asked, or replaced its secret, decides nothing of it, by any key they made.",
        )
    if not acting.linked.isdisjoint({request.person, *hands(requester)}):
        raise Forbidden(
            "self_approval",
            "Nobody decides what somebody has asked for who stands in for them, or for whom they stand in.",
        )
    amount = _approved(request, ballot)
    if ballot.choice in APPROVING and not chain[0].may_approve(amount, request.currency):
        raise Forbidden(
            "above_own_limit",
            "This is more than you may approve.",
            {"approve_up_to": (chain[0].approve_up_to or {}).get(request.currency, 0)},
        )


def refuse_second_approval(
    hold: ApprovalHold,
    ballot: Ballot,
    chains: Mapping[str, Sequence[Credential]],
    chain: Sequence[Credential],
) -> None:
    """Refuse an approval that one of those who have approved could give: a quorum is of people, not of keys.

    `chains` has the credentials that approved, by id, and `chain` is the one that does now, with their ancestors.

    Raises:
        Conflict: `second_person_needed`.
    """
    if ballot.choice in APPROVING:
        refuse_one_hand([chains.get(one, ()) for one in hold.approved_with], chain)


def places_of(request: RefundRequest, ballot: Ballot, acting: Acting) -> tuple[str, ...]:
    """In whose places this ballot approves beside the approver's own."""
    return (
        acting.instead_of(_approved(request, ballot), request.currency) if ballot.choice in APPROVING else ()
    )


def _approved(request: RefundRequest, ballot: Ballot) -> int:
    return request.amount_minor if ballot.amount_minor is None else ballot.amount_minor


def refuse_unasked(hold: ApprovalHold, ballot: Ballot, person: str, places: Sequence[str] = ()) -> None:
    """Refuse an approval by somebody whom no rule asks, nor any in whose `places` they approve: it could never count.

    Anybody may say no.

    Raises:
        Forbidden: `not_asked`, with the people who are.
    """
    if ballot.choice not in APPROVING:
        return
    if not any(need.counts(one) for need in hold.needs for one in (person, *places)):
        asked = sorted({name for need in hold.needs for name in need.approvers or ()})
        raise Forbidden("not_asked", "The rules ask other people to approve this.", {"approvers": asked})


def decided_by(votes: Sequence[Vote]) -> str | None:
    """Who gave the approval that decided; `votes` of a hold that is approved, oldest first."""
    return next((vote.person for vote in reversed(votes) if vote.approves is not None), None)


def may_take_back(request: RefundRequest, votes: Sequence[Vote], person: str) -> bool:
    """Whether this person decided, and no worker has ever claimed the request."""
    unclaimed = request.state is State.QUEUED and request.attempts == 0
    return unclaimed and decided_by(votes) == person


def refuse_taking_back(request: RefundRequest, votes: Sequence[Vote], person: str) -> None:
    """Refuse to take back what is on its way, or what somebody else has decided.

    Raises:
        Conflict: `not_taken_back`.
    """
    if may_take_back(request, votes, person):
        return
    if request.state is State.QUEUED and request.attempts == 0:
        raise Conflict("not_taken_back", "Somebody else has decided it.")
    raise Conflict("not_taken_back", f"It is too late: the request is {request.state} already.")


def whose_hands(request: RefundRequest, hold: ApprovalHold) -> frozenset[str]:
    """The credentials that bear on who may approve: the one that asked, and those that have approved what stands."""
    return hold.approved_with | {request.requested_by}


def why_not(
    request: RefundRequest,
    hold: ApprovalHold,
    chains: Mapping[str, Sequence[Credential]],
    chain: Sequence[Credential],
    now: datetime,
    acting: Acting = ALONE,
) -> str | None:
    """Why whoever comes with `chain` could not approve what stands: `approved_already`, or the code of the refusal.

    `chains` has who asked and who has approved, as `whose_hands` names them; `acting`, for whom they act. None when
    their approval would count.
    """
    if chain[0].role is not Role.APPROVER:
        return "role_not_allowed"
    ballot, person = Ballot(Choice.APPROVE, hold.digest, hold.version), chain[0].owner
    if person in hold.approvals and hold.state is State.PENDING_APPROVAL:
        return "approved_already"
    try:
        refuse_approver(request, chains.get(request.requested_by, ()), chain, ballot, acting)
        refuse_vote(hold, ballot, person, now)
        refuse_second_approval(hold, ballot, chains, chain)
        refuse_unasked(hold, ballot, person, places_of(request, ballot, acting))
    except GovernorError as refusal:
        return refusal.code
    return None
