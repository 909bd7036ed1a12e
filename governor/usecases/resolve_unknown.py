"""Resolving by hand: two different people say how a refund request in doubt ended (DESIGN §4, `resolve`)."""

from __future__ import annotations

from dataclasses import dataclass

from governor.checkpoint import checkpoint
from governor.domain.canonical import digest
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.recovery import key_is_young
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import (
    Ending,
    Proposal,
    completes,
    evidence_of,
    refuse_resolver,
    refuse_unresolvable,
    standing,
)
from governor.domain.words import check_words
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.apply_evidence import apply_evidence
from governor.usecases.callers import Caller, refuse_same_hand, rights, speaking
from governor.usecases.operations import earlier, remember


@dataclass(frozen=True)
class Resolution:
    """The request as it stands, and the proposal that waits for a second person, if one does.

    `may_still_execute`: the key is so young that a call on its way could still make the refund.
    """

    request: RefundRequest
    waiting: Proposal | None
    may_still_execute: bool
    replayed: bool = False


@dataclass(frozen=True)
class ResolveUnknown:
    """One person says how it ended; the second one who says the same ends it."""

    store: UnitOfWork

    def __call__(self, caller: Caller, request_id: str, outcome: Ending, reason: str, key: str) -> Resolution:
        """What stands after this person has spoken.

        Raises:
            NotFound. Invalid: about `/reason`. Forbidden: `role_not_allowed`, `self_resolution`, `resolution_needs_human`.
            Conflict: `not_unknown`, `refund_seen`, `second_person_needed`, `resolution_conflict`.
        """
        check_words("/reason", reason)
        asked = {"resolve": request_id, "outcome": outcome.value, "reason": reason}
        scope = f"resolution:{caller.credential.id}"
        checkpoint("resolve.before_tx")
        with self.store.environment(caller.environment) as tx:
            request = tx.request(tx.here.name, request_id)
            if request is None:
                raise NotFound("refund_request_not_found", "There is no such refund request.")
            chain = rights(tx, caller, Role.OPERATOR)
            if earlier(tx, scope, key, asked) is not None:
                return Resolution(
                    request, _waiting(tx, request), key_is_young(request, tx.now), replayed=True
                )
            requester = tx.credential_chains(tx.here.name, [request.requested_by])
            refuse_resolver(request, requester.get(request.requested_by, ()), chain)
            refuse_unresolvable(request, [one.evidence for one in tx.evidence(tx.here.name, request_id)])
            person = caller.credential.owner
            proposal = Proposal(outcome, caller.credential.id, person, reason, request.attempts, tx.now)
            remember(tx, scope, key, asked, request_id)
            said = _said(tx, caller, request, proposal)
        checkpoint("resolve.committed")
        return said


def _waiting(tx: Transaction, request: RefundRequest) -> Proposal | None:
    """The proposal that waits for a second person; none of a key that has been revoked since."""
    said = tx.proposals(tx.here.name, request.id)
    return standing(request, said, speaking(tx, tx.here.name, {one.credential for one in said}, tx.now))


def _said(tx: Transaction, caller: Caller, request: RefundRequest, proposal: Proposal) -> Resolution:
    waiting = _waiting(tx, request)
    ends = completes(waiting, proposal)
    if waiting and ends:
        refuse_same_hand(tx, waiting.credential, proposal.credential)
    tx.add_proposal(request.id, proposal)
    checkpoint("resolve.proposed")
    young = key_is_young(request, tx.now)
    facts = {
        "outcome": proposal.outcome.value,
        "reason_digest": digest(proposal.reason),
        "attempts": proposal.attempts,
        "may_still_execute": young,
    }
    if waiting is None or not ends:
        tx.append_audit([caller.entry("refund_request.resolution_proposed", request.id, facts)])
        return Resolution(request, proposal, young)
    first = {
        "person": waiting.person,
        "credential": waiting.credential,
        "reason_digest": digest(waiting.reason),
        "proposed_at": waiting.proposed_at.isoformat(),
    }
    tx.append_audit([caller.entry("refund_request.resolved", request.id, facts | {"first": first})])
    reason = f"resolved_{proposal.outcome}"
    recorded = RecordedEvidence(evidence_of(proposal.outcome), reason, None, None, tx.now)
    return Resolution(apply_evidence(tx, request.id, recorded), None, young)
