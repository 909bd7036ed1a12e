"""Deciding a hold: approve or reject, bound to what was shown, never by the requester."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.approval import ApprovalHold, Choice, Vote, refuse_approver, refuse_vote
from governor.domain.canonical import digest
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.lifecycle import Event, State, move
from governor.domain.requests import RefundRequest
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.operations import earlier, remember
from governor.usecases.release_dead import chains_of


def hold_of(reads: Reads, request: RefundRequest) -> ApprovalHold:
    """A request as its approvers see it."""
    votes = reads.votes(request.environment, request.hold) if request.hold else ()
    return ApprovalHold(
        id=request.hold or "",
        request=request.id,
        state=request.state,
        version=request.hold_version,
        quorum=request.quorum,
        expires_at=request.expires_at or request.created_at,
        shown=dict(request.shown),
        approvals=frozenset(vote.person for vote, _ in votes if vote.choice is Choice.APPROVE),
    )


@dataclass(frozen=True)
class DecideHold:
    """One person's decision on one hold."""

    store: UnitOfWork

    def __call__(
        self,
        caller: Caller,
        hold: str,
        choice: Choice,
        digest: str,
        version: int,
        reason: str | None,
        key: str,
    ) -> RefundRequest:
        """Count the vote; the request moves when its quorum is reached, or at the first rejection.

        Raises:
            NotFound: `hold_not_found`. Forbidden: `role_not_allowed`, `self_approval`, `above_own_limit`.
            Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`.
        """
        asked = {"hold": hold, "choice": choice.value, "digest": digest, "version": version, "reason": reason}
        checkpoint("decide.before_tx")
        with self.store.environment(caller.environment) as tx:
            request = tx.request_by_hold(tx.here.name, hold)
            if request is None or request.quorum == 0:
                raise NotFound("hold_not_found", "There is no such hold.")
            chain = rights(tx, caller, Role.APPROVER)
            if earlier(tx, f"decision:{caller.credential.id}", key, asked) is not None:
                return request
            requester = chains_of(tx, [request]).get(request.requested_by, ())
            refuse_approver(request, requester, chain, choice)
            vote = Vote(choice, chain[0].id, chain[0].owner, digest, version, reason)
            seen = hold_of(tx, request)
            refuse_vote(seen, vote, tx.now)
            tx.add_vote(hold, vote)
            checkpoint("decide.vote_inserted")
            after = _counted(tx, caller, request, seen, vote)
            remember(tx, f"decision:{caller.credential.id}", key, asked, hold)
        checkpoint("decide.committed")
        return after


def _counted(
    tx: Transaction, caller: Caller, request: RefundRequest, seen: ApprovalHold, vote: Vote
) -> RefundRequest:
    if vote.choice is Choice.REJECT:
        event: Event | None = Event.REJECT
    else:
        event = Event.APPROVE if len(seen.approvals | {vote.person}) >= request.quorum else None
    state = move(request.state, event) if event else request.state
    queued = state is State.QUEUED
    after = replace(
        request,
        state=state,
        updated_at=tx.now,
        due_at=tx.now if queued else None,
        next_action=NextAction.WAIT if queued else request.next_action if event is None else NextAction.NONE,
    )
    tx.carry(request, after)
    checkpoint("decide.quorum_reached")
    if queued:
        tx.enqueue([(request.id, tx.now)])
    tx.append_audit([caller.entry("hold.decided", request.id, _told(request, vote, state))])
    return after


def _told(request: RefundRequest, vote: Vote, state: State) -> dict[str, Any]:
    """The decision for the audit trail. Its reason, in the words of a person, stays with the vote: only its digest."""
    return {
        "hold": request.hold,
        "choice": vote.choice.value,
        "digest": vote.digest,
        "version": vote.version,
        "reason_digest": None if vote.reason is None else digest(vote.reason),
        "from": request.state.value,
        "to": state.value,
    }
