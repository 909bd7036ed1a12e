"""A hold as people see it, and how what it shows is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from governor.domain.admission import PaymentBook
from governor.domain.approval import ApprovalHold, Vote
from governor.domain.approval_facts import shown_facts, with_facts
from governor.domain.approvers import why_not
from governor.domain.audit import Entry
from governor.domain.credentials import Credential
from governor.domain.errors import InvariantBroken, NotFound
from governor.domain.lifecycle import State
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.domain.stand_ins import StandIns
from governor.ports.reads import Reads
from governor.ports.store import Transaction
from governor.usecases.see_refunds import see_payments
from governor.usecases.stand_ins import approving, by_owner


def held_request(reads: Reads, environment: str, hold: str) -> RefundRequest:
    """The request with this hold, which waits for people or did.

    Raises:
        NotFound: `hold_not_found`.
    """
    request = reads.request_by_hold(environment, hold)
    if request is None or request.quorum == 0:
        raise NotFound("hold_not_found", "There is no such hold.")
    return request


def hold_of(reads: Reads, request: RefundRequest) -> ApprovalHold:
    """A request as its approvers see it."""
    return seen_hold(request, reads.votes(request.environment, request.hold) if request.hold else ())


def seen_hold(request: RefundRequest, votes: Iterable[tuple[Vote, datetime]]) -> ApprovalHold:
    """A request as its approvers see it, with what they have said."""
    hold = ApprovalHold(
        id=request.hold or "",
        request=request.id,
        state=request.state,
        version=request.hold_version,
        quorum=request.quorum,
        expires_at=request.expires_at or request.created_at,
        shown=dict(request.shown),
        approvals=frozenset(),
    )
    approving = [vote for vote, _ in votes if vote.approves == hold.digest]
    if not approving:
        return hold
    return replace(
        hold,
        approvals=frozenset(vote.person for vote in approving),
        approved_with=frozenset(vote.credential for vote in approving),
        instead_of={vote.person: vote.instead_of for vote in approving},
    )


def who_may(
    reads: Reads,
    request: RefundRequest,
    hold: ApprovalHold,
    chains: Mapping[str, Sequence[Credential]],
    now: datetime,
) -> tuple[str, ...]:
    """The people whose approval of what stands would still count, by login; `chains` as for `why_not`."""
    theirs = approving(reads, request.environment, now)
    stand_ins = StandIns(reads.stand_ins(request.environment, now), by_owner(theirs))

    def may(chain: Sequence[Credential]) -> bool:
        acting = stand_ins.acting(chain[0].owner)
        return why_not(request, hold, chains, chain, now, acting) is None

    return tuple(sorted({chain[0].owner for chain in theirs if may(chain)}))


def save_hold(tx: Transaction, before: RefundRequest, after: RefundRequest) -> None:
    """Write a request whose hold people are talking about, keep what it showed before, and carry its capacity."""
    if after.hold_version != before.hold_version:
        tx.keep_hold_version(before)
    tx.carry(before, after)


def see_fresh(tx: Transaction, fresh: PaymentFacts) -> None:
    """Book what a payment just read from the provider shows, before anything else is looked at.

    Facts that somebody else has read meanwhile stay: an older look takes nothing back.
    """
    see_payments(tx, [fresh])
    known = tx.payment(tx.here.name, fresh.payment)
    if known is None or known[0].read_at < fresh.read_at:
        tx.save_facts(fresh)
    tx.flush()


def payment_of(tx: Transaction, request: RefundRequest) -> tuple[PaymentFacts, PaymentBook]:
    """What is known of a request's payment; its admission has kept it."""
    known = tx.payment(tx.here.name, request.payment)
    if known is None:
        raise InvariantBroken("hold_without_payment", request.id)
    return known


def refresh_hold(tx: Transaction, request: RefundRequest) -> RefundRequest:
    """The request, showing what is known of its payment now; itself when it does already, or waits no more."""
    if request.state is not State.PENDING_APPROVAL:
        return request
    facts, book = payment_of(tx, request)
    changed = with_facts(request, facts, book, tx.now)
    if changed is not request:
        save_hold(tx, request, changed)
        told = {"hold": request.hold, "version": changed.hold_version, "facts": shown_facts(facts, book)}
        tx.append_audit([Entry("governor", "hold.facts_changed", request.id, told)])
    return changed
