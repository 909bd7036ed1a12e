"""Deciding a hold: approve it or less of it, return it with a question, reject it; bound to what was shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, cast

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.approval import (
    APPROVING,
    GIVING_BACK,
    Ballot,
    Choice,
    Vote,
    check_ballot,
    hold_changed,
    hold_digest,
    refuse_amount,
    refuse_vote,
)
from governor.domain.approval_facts import refuse_unpayable, warnings_in
from governor.domain.approvers import (
    places_of,
    refuse_approver,
    refuse_second_approval,
    refuse_unasked,
    whose_hands,
)
from governor.domain.canonical import digest
from governor.domain.care import refuse_careless
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Conflict, Unavailable, require
from governor.domain.hold_versions import after_ballot
from governor.domain.lifecycle import Event, State, move
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.domain.stand_ins import Acting
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.fence_environment import keeps_all
from governor.usecases.holds import held_request, hold_of, payment_of, refresh_hold, save_hold, see_fresh
from governor.usecases.operations import earlier, remember
from governor.usecases.payment_facts import FreshFacts
from governor.usecases.stand_ins import acting_now
from governor.usecases.take_back import take_back


@dataclass(frozen=True)
class FactsNeeded:
    """Nothing is decided yet: what the approver was shown of this payment is too old to approve on."""

    payment: str


@dataclass(frozen=True)
class DecideHold:
    """One person's decision on one hold. `max_age`: how old the payment's facts may be for an approval."""

    store: UnitOfWork
    facts: FreshFacts
    max_age: timedelta

    def __call__(self, caller: Caller, hold: str, ballot: Ballot, key: str) -> RefundRequest:
        """Count the vote; the request moves when its quorum is reached, or at the first rejection.

        Old facts are read anew from the provider, with no transaction open, and it is decided once more.

        Raises:
            Invalid: the ballot, or the typed amount. NotFound: `hold_not_found`.
            Forbidden: `role_not_allowed`, `self_approval`, `above_own_limit`, `not_asked`, `confirmation_needed`;
                `payment_not_refundable`, `payment_disputed`, `amount_exceeds_refundable` when the payment cannot give
                it by now.
            Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`, `second_person_needed`.
            Unavailable: `payment_facts_unavailable`; `frozen` for what gives capacity back while the environment is
                fenced.
        """
        check_ballot(ballot)
        checkpoint("decide.before_tx")
        decided = self._decide(caller, hold, ballot, key, None)
        if isinstance(decided, FactsNeeded):
            fresh = self.facts.fresh(caller.environment, decided.payment)
            checkpoint("decide.facts_read")
            decided = self._decide(caller, hold, ballot, key, fresh)
        checkpoint("decide.committed")
        if isinstance(decided, Conflict):
            raise decided
        require(isinstance(decided, RefundRequest), "undecided")
        return cast("RefundRequest", decided)

    def take_back(self, caller: Caller, hold: str, key: str) -> RefundRequest:
        """Undo the caller's own approval, as long as nothing of it was sent (governor.usecases.take_back).

        Raises:
            NotFound: `hold_not_found`. Forbidden: `role_not_allowed`. Conflict: `not_taken_back`.
        """
        with self.store.environment(caller.environment) as tx:
            after = take_back(tx, caller, hold, key)
        checkpoint("take_back.committed")
        return after

    def _decide(
        self, caller: Caller, hold: str, ballot: Ballot, key: str, fresh: PaymentFacts | None
    ) -> RefundRequest | FactsNeeded | Conflict:
        """A Conflict that is returned is recorded first: the hold shows something else from now on."""
        asked = _asked(hold, ballot)
        scope = f"decision:{caller.credential.id}"
        with self.store.environment(caller.environment) as tx:
            if fresh is not None:
                see_fresh(tx, fresh)
            request = held_request(tx, tx.here.name, hold)
            chain = rights(tx, caller, Role.APPROVER)
            if earlier(tx, scope, key, asked) is not None:
                return request
            acting = acting_now(tx, tx.here.name, chain[0].owner, tx.now)
            _refuse(tx, request, chain, ballot, acting)
            if chain[0].person is not None:
                refuse_careless(tx.here, request, ballot, confirmed=caller.confirmed)
            if ballot.choice in GIVING_BACK and keeps_all(tx):
                raise Unavailable(
                    "frozen",
                    "What may have been sent is being looked up at the provider; nothing was decided.",
                )
            if ballot.choice in APPROVING:
                young = fresh is not None or self._young(tx, request.payment)
                outdated = _outdated(tx, request, ballot) if young else FactsNeeded(request.payment)
                if outdated is not None:
                    return outdated
            places = places_of(request, ballot, acting)
            after = _counted(tx, caller, request, chain[0], ballot, places)
            remember(tx, scope, key, asked, hold)
        return after

    def _young(self, tx: Transaction, payment: str) -> bool:
        known = tx.payment(tx.here.name, payment)
        return known is not None and tx.now - known[0].read_at <= self.max_age


def _asked(hold: str, ballot: Ballot) -> dict[str, Any]:
    """What a key names, said or not: a vote of before an upgrade is repeated after it.

    What was typed proves that they looked; it decides nothing, and is no part of it.
    """
    return {
        "hold": hold,
        "choice": ballot.choice.value,
        "digest": ballot.digest,
        "version": ballot.version,
        "reason": ballot.reason,
        "amount_minor": ballot.amount_minor,
    }


def _outdated(tx: Transaction, request: RefundRequest, ballot: Ballot) -> Conflict | None:
    """The refusal, when the payment is not what the approver was shown of it; from now on the hold shows what it is."""
    shows = refresh_hold(tx, request)
    if shows is not request:
        return hold_changed(hold_of(tx, shows), request.shown)
    refuse_unpayable(request, ballot.amount_minor or request.amount_minor, *payment_of(tx, request))
    return None


def _refuse(
    tx: Transaction, request: RefundRequest, chain: tuple[Credential, ...], ballot: Ballot, acting: Acting
) -> None:
    seen = hold_of(tx, request)
    chains = tx.credential_chains(tx.here.name, whose_hands(request, seen))
    refuse_approver(request, chains.get(request.requested_by, ()), chain, ballot, acting)
    others = tx.hold_version(tx.here.name, seen.id, ballot.version)
    refuse_vote(seen, ballot, chain[0].owner, tx.now, others)
    refuse_second_approval(seen, ballot, chains, chain)
    refuse_unasked(seen, ballot, chain[0].owner, places_of(request, ballot, acting))
    refuse_amount(request, ballot)


def _counted(
    tx: Transaction,
    caller: Caller,
    request: RefundRequest,
    approver: Credential,
    ballot: Ballot,
    places: tuple[str, ...],
) -> RefundRequest:
    changed = after_ballot(request, ballot, approver.owner, tx.now)
    vote = _vote(changed, approver, ballot, places)
    tx.add_vote(changed.hold or "", vote)
    checkpoint("decide.vote_inserted")
    after = _moved(changed, ballot.choice, enough=not hold_of(tx, changed).still_asked)
    if after.state is State.QUEUED:
        due_at = tx.now + _time_to_think(tx, approver)
        after = replace(after, due_at=due_at, next_action=NextAction.WAIT)
        tx.enqueue([(request.id, due_at)])
    after = replace(after, updated_at=tx.now)
    save_hold(tx, request, after)
    checkpoint("decide.quorum_reached")
    action = "refund_request.returned" if ballot.choice is Choice.RETURN else "hold.decided"
    tx.append_audit([caller.entry(action, request.id, _told(request, vote, after))])
    return after


def _time_to_think(tx: Transaction, approver: Credential) -> timedelta:
    """How long an approval can be undone before it is sent: people at a browser press wrong buttons, programs do not."""
    return timedelta(seconds=tx.here.undo_seconds if approver.person is not None else 0)


def _vote(changed: RefundRequest, approver: Credential, ballot: Ballot, places: tuple[str, ...]) -> Vote:
    """The ballot as it counts: an approval names the version that stands after it."""
    said = (ballot.choice, approver.id, approver.owner, ballot.digest, ballot.version, ballot.reason)
    if ballot.choice not in APPROVING:
        return Vote(*said)
    approves = hold_digest(changed.hold or "", changed.hold_version, changed.shown)
    return Vote(*said, approves=approves, amount_minor=changed.amount_minor, instead_of=places)


def _moved(request: RefundRequest, choice: Choice, *, enough: bool) -> RefundRequest:
    if choice is Choice.REJECT:
        return replace(request, state=move(request.state, Event.REJECT), next_action=NextAction.NONE)
    if choice in APPROVING and enough:
        return replace(request, state=move(request.state, Event.APPROVE))
    return request


def _told(request: RefundRequest, vote: Vote, after: RefundRequest) -> dict[str, Any]:
    """The decision for the audit trail. Its reason, in the words of a person, stays with the vote: only its digest."""
    return {
        "hold": request.hold,
        "choice": vote.choice.value,
        "digest": vote.digest,
        "version": vote.version,
        "approves": vote.approves,
        "instead_of": list(vote.instead_of),
        "asked_by": request.person,
        "amount": {"from": request.amount_minor, "to": after.amount_minor},
        "currency": request.currency,
        "warned": list(warnings_in(request.shown)),
        "reason_digest": None if vote.reason is None else digest(vote.reason),
        "from": request.state.value,
        "to": after.state.value,
    }
