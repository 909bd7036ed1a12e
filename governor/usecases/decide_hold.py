"""Deciding a hold: approve it or less of it, return it with a question, reject it; bound to what was shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.approval import (
    APPROVING,
    ApprovalHold,
    Ballot,
    Choice,
    Vote,
    check_ballot,
    hold_digest,
    refuse_amount,
    refuse_approver,
    refuse_unasked,
    refuse_vote,
)
from governor.domain.canonical import digest
from governor.domain.credentials import Credential, Role
from governor.domain.errors import NotFound
from governor.domain.hold_versions import after_ballot
from governor.domain.lifecycle import Event, State, move
from governor.domain.requests import RefundRequest
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.operations import earlier, remember
from governor.usecases.release_dead import chains_of


def hold_of(reads: Reads, request: RefundRequest) -> ApprovalHold:
    """A request as its approvers see it."""
    stands = hold_digest(request.hold or "", request.hold_version, request.shown)
    votes = reads.votes(request.environment, request.hold) if request.hold else ()
    return ApprovalHold(
        id=request.hold or "",
        request=request.id,
        state=request.state,
        version=request.hold_version,
        quorum=request.quorum,
        expires_at=request.expires_at or request.created_at,
        shown=dict(request.shown),
        approvals=frozenset(vote.person for vote, _ in votes if vote.approves == stands),
    )


@dataclass(frozen=True)
class DecideHold:
    """One person's decision on one hold."""

    store: UnitOfWork

    def __call__(self, caller: Caller, hold: str, ballot: Ballot, key: str) -> RefundRequest:
        """Count the vote; the request moves when its quorum is reached, or at the first rejection.

        Raises:
            Invalid: the ballot. NotFound: `hold_not_found`.
            Forbidden: `role_not_allowed`, `self_approval`, `above_own_limit`, `not_asked`.
            Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`.
        """
        check_ballot(ballot)
        asked = {"hold": hold, **vars(ballot), "choice": ballot.choice.value}
        checkpoint("decide.before_tx")
        with self.store.environment(caller.environment) as tx:
            request = tx.request_by_hold(tx.here.name, hold)
            if request is None or request.quorum == 0:
                raise NotFound("hold_not_found", "There is no such hold.")
            chain = rights(tx, caller, Role.APPROVER)
            if earlier(tx, f"decision:{caller.credential.id}", key, asked) is not None:
                return request
            _refuse(tx, request, chain, ballot)
            after = _counted(tx, caller, request, chain[0], ballot)
            remember(tx, f"decision:{caller.credential.id}", key, asked, hold)
        checkpoint("decide.committed")
        return after


def _refuse(tx: Transaction, request: RefundRequest, chain: tuple[Credential, ...], ballot: Ballot) -> None:
    requester = chains_of(tx, [request]).get(request.requested_by, ())
    refuse_approver(request, requester, chain, ballot)
    seen = hold_of(tx, request)
    others = tx.hold_version(tx.here.name, seen.id, ballot.version)
    refuse_vote(seen, ballot, chain[0].owner, tx.now, others)
    refuse_unasked(seen, ballot, chain[0].owner)
    refuse_amount(request, ballot)


def _counted(
    tx: Transaction, caller: Caller, request: RefundRequest, approver: Credential, ballot: Ballot
) -> RefundRequest:
    changed = after_ballot(request, ballot, approver.owner, tx.now)
    vote = _vote(changed, approver, ballot)
    tx.add_vote(changed.hold or "", vote)
    checkpoint("decide.vote_inserted")
    after = _moved(changed, ballot.choice, enough=hold_of(tx, changed).has_enough)
    if after.state is State.QUEUED:
        after = replace(after, due_at=tx.now, next_action=NextAction.WAIT)
        tx.enqueue([(request.id, tx.now)])
    after = replace(after, updated_at=tx.now)
    save_hold(tx, request, after)
    checkpoint("decide.quorum_reached")
    action = "refund_request.returned" if ballot.choice is Choice.RETURN else "hold.decided"
    tx.append_audit([caller.entry(action, request.id, _told(request, vote, after))])
    return after


def _vote(changed: RefundRequest, approver: Credential, ballot: Ballot) -> Vote:
    """The ballot as it counts: an approval names the version that stands after it."""
    said = (ballot.choice, approver.id, approver.owner, ballot.digest, ballot.version, ballot.reason)
    if ballot.choice not in APPROVING:
        return Vote(*said)
    approves = hold_digest(changed.hold or "", changed.hold_version, changed.shown)
    return Vote(*said, approves=approves, amount_minor=changed.amount_minor)


def _moved(request: RefundRequest, choice: Choice, *, enough: bool) -> RefundRequest:
    if choice is Choice.REJECT:
        return replace(request, state=move(request.state, Event.REJECT), next_action=NextAction.NONE)
    if choice in APPROVING and enough:
        return replace(request, state=move(request.state, Event.APPROVE))
    return request


def save_hold(tx: Transaction, before: RefundRequest, after: RefundRequest) -> None:
    """Write a request whose hold people are talking about, keep what it showed before, and carry its capacity."""
    if after.hold_version != before.hold_version:
        tx.keep_hold_version(before)
    tx.carry(before, after)


def _told(request: RefundRequest, vote: Vote, after: RefundRequest) -> dict[str, Any]:
    """The decision for the audit trail. Its reason, in the words of a person, stays with the vote: only its digest."""
    return {
        "hold": request.hold,
        "choice": vote.choice.value,
        "digest": vote.digest,
        "version": vote.version,
        "approves": vote.approves,
        "amount": {"from": request.amount_minor, "to": after.amount_minor},
        "reason_digest": None if vote.reason is None else digest(vote.reason),
        "from": request.state.value,
        "to": after.state.value,
    }
