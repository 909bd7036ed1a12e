"""What approvers look at: what waits, all that one needs to know before saying yes or no, and what they have said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.approval import Choice, Vote
from governor.domain.approval_facts import refuse_unpayable, with_facts
from governor.domain.approvers import may_take_back, whose_hands, why_not
from governor.domain.background import Background
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Forbidden, NotFound, Unavailable
from governor.domain.freezes import frozen_by
from governor.domain.lifecycle import State
from governor.domain.limits import Measure
from governor.domain.requests import RefundRequest, request_of
from governor.domain.stand_ins import StandIn
from governor.ports.approvals import Approvals, Decided
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.customer_requests import CustomerRequests, customer_requests
from governor.usecases.hold_attention import HoldAttention
from governor.usecases.holds import held_request, hold_of, refresh_hold, see_fresh, seen_hold, who_may
from governor.usecases.look_at_payment import LookAtPayment, LookedAt
from governor.usecases.read_background import ReadBackground
from governor.usecases.requester_record import Record, record_of
from governor.usecases.stand_ins import acting_now
from governor.usecases.waiting_holds import Queue, Waiting, looked_at

AT_MOST = 200
"""How many holds a desk shows; of more, what was escalated and then those that expire soonest."""


@dataclass(frozen=True)
class ToDecide:
    """One hold with everything around it. `payment` is None while the provider cannot be read.

    `may_approve` are the people whose approval of what stands would still count; `stand_ins` who stands in
    for those whom it names, and `instead_of` in whose places whoever looks at it would approve it. `record` leaves this request out.
    """

    waiting: Waiting
    votes: tuple[tuple[Vote, datetime], ...]
    may_approve: tuple[str, ...]
    stand_ins: tuple[StandIn, ...]
    instead_of: tuple[str, ...]
    payment: LookedAt | None
    background: Background | None
    requester: Credential | None
    given_by: Credential | None
    """The key that gave the requester's, if one did."""
    record: Record
    customer: CustomerRequests
    is_frozen: bool
    """Whether a freeze keeps it from being sent, though it may be decided."""

    def may_take_back(self, caller: Caller) -> bool:
        """Whether the caller has decided it, and nothing of it was sent."""
        approves = caller.role is Role.APPROVER
        votes = [vote for vote, _ in self.votes]
        return approves and may_take_back(self.waiting.request, votes, caller.credential.owner)

    @property
    def unpayable(self) -> Forbidden | None:
        """Why its payment cannot give it by now; none while it can, or while the provider cannot be read."""
        request, seen = self.waiting.request, self.payment
        if seen is not None:
            try:
                refuse_unpayable(request, request.amount_minor, seen.facts, seen.book)
            except Forbidden as refusal:
                return refusal
        return None

    @property
    def deciding(self) -> tuple[tuple[Vote, datetime], ...]:
        """The votes that what stands now comes of, oldest first: the no, or each yes to what stands."""
        return tuple(
            (vote, at)
            for vote, at in self.votes
            if vote.choice is Choice.REJECT or vote.approves == self.waiting.hold.digest
        )

    @property
    def tightest(self) -> Mapping[str, Any] | None:
        """The line of the amount limit that this request left the least of when it was asked."""
        lines = [one for one in self.waiting.request.limits if one["measure"] == Measure.AMOUNT]
        return min(lines, key=lambda one: one["headroom"] - one["requested"], default=None)


@dataclass(frozen=True)
class ApprovalDesk:
    """Looking at what waits for people. Deciding is `decide_hold`'s, which looks at everything again."""

    store: UnitOfWork
    approvals: Approvals
    attention: HoldAttention
    look_at_payment: LookAtPayment
    read_background: ReadBackground

    def queue(self, caller: Caller) -> Queue:
        """What waits here."""
        now = self.store.now()
        found = self.approvals.waiting(caller.environment, now, at_most=AT_MOST + 1)
        lines = self._ranked(caller, found[:AT_MOST], now)
        if len(found) <= AT_MOST:
            return Queue(lines, rest_ends_at=None)
        # Behind the last that was escalated they come as they end; where all of these were, nobody knows of the rest.
        only_escalated = all(one.attention.escalations for one in lines)
        return Queue(lines, rest_ends_at=now if only_escalated else found[AT_MOST].expires_at)

    def waiting(self, caller: Caller) -> tuple[Waiting, ...]:
        """What stands in the queue, for whoever needs not know whether that is all."""
        return self.queue(caller).lines

    def still_waiting(self, caller: Caller, holds: Collection[str]) -> tuple[Waiting, ...]:
        """Those of these holds that wait, in the order of the queue, also where it is too long to show them."""
        now = self.store.now()
        found = self.approvals.still_waiting(caller.environment, set(map(request_of, holds)), now)
        return self._ranked(caller, found, now)

    def waiting_one(self, caller: Caller, hold: str) -> Waiting:
        """One hold as the queue shows it, also when it waits no more. The provider is not asked.

        Raises:
            NotFound: `hold_not_found`.
        """
        return self._ranked(caller, [self._held(caller, hold)], self.store.now())[0]

    def may_approve(self, caller: Caller, hold: str) -> tuple[str, ...]:
        """The people whose approval of what stands would still count.

        Raises:
            NotFound: `hold_not_found`.
        """
        request, now = self._held(caller, hold), self.store.now()
        with self.store.reading() as reads:
            stands = hold_of(reads, request)
            chains = reads.credential_chains(caller.environment, whose_hands(request, stands))
            return who_may(reads, request, stands, chains, now)

    def _ranked(self, caller: Caller, found: Sequence[RefundRequest], now: datetime) -> tuple[Waiting, ...]:
        holds = [one.hold for one in found if one.hold]
        votes = self.approvals.votes_of(caller.environment, holds)
        said = self.attention.of_holds(caller, holds, now)
        seen = [(one, seen_hold(one, votes.get(one.hold or "", ()))) for one in found]
        hands = {key for request, hold in seen for key in whose_hands(request, hold)}
        with self.store.reading() as reads:
            chains = reads.credential_chains(caller.environment, hands)
            acting = acting_now(reads, caller.environment, caller.credential.owner, now)
        waiting = [
            looked_at(caller, request, hold, why, acting, said)
            for request, hold in seen
            for why in (why_not(request, hold, chains, caller.chain, now, acting),)
        ]
        return tuple(sorted(waiting, key=lambda one: one.rank(now), reverse=True))

    def decided(self, caller: Caller, *, before: datetime | None, at_most: int) -> tuple[Decided, ...]:
        """What the caller has said of holds, newest first; `before` is the time of the last one already seen."""
        person = caller.credential.owner
        return self.approvals.decided_by(caller.environment, person, before=before, at_most=at_most)

    def to_decide(self, caller: Caller, hold: str) -> ToDecide:
        """One hold. Its payment is looked at as it is now, and the hold shows what has changed of it.

        Raises:
            NotFound: `hold_not_found`.
        """
        payment = self._payment(caller, self._held(caller, hold))
        request, now = self._held(caller, hold), self.store.now()
        with self.store.reading() as reads:
            votes = reads.votes(caller.environment, hold)
            stands = seen_hold(request, votes)
            chains = reads.credential_chains(caller.environment, whose_hands(request, stands))
            may = who_may(reads, request, stands, chains, now)
            live = reads.stand_ins(caller.environment, now)
            freeze = frozen_by(reads.freezes(caller.environment), request.subject)
            acting = acting_now(reads, caller.environment, caller.credential.owner, now)
        requester = chains.get(request.requested_by, ())
        why = why_not(request, stands, chains, caller.chain, now, acting)
        said = self.attention.of_holds(caller, {hold}, now)
        return ToDecide(
            waiting=looked_at(caller, request, stands, why, acting, said),
            votes=votes,
            may_approve=may,
            stand_ins=tuple(one for one in live if stands.names(one.away)),
            instead_of=acting.instead_of(request.amount_minor, request.currency),
            payment=payment,
            background=self._background(request, payment),
            requester=requester[0] if requester else None,
            given_by=requester[1] if len(requester) > 1 else None,
            record=record_of(
                self.approvals, request.environment, [request.requested_by], now, but=request.id
            ),
            customer=customer_requests(self.store, self.approvals, request, now),
            is_frozen=freeze is not None,
        )

    def _held(self, caller: Caller, hold: str) -> RefundRequest:
        with self.store.reading() as reads:
            return held_request(reads, caller.environment, hold)

    def _payment(self, caller: Caller, request: RefundRequest) -> LookedAt | None:
        """The payment as it is now, booked where the hold has shown it otherwise."""
        try:
            seen = self.look_at_payment(caller, request.payment)
        except (NotFound, Unavailable):
            return None
        if with_facts(request, seen.facts, seen.book, request.updated_at) is not request:
            with self.store.environment(caller.environment) as tx:
                see_fresh(tx, seen.facts)
                standing = tx.request(caller.environment, request.id)
                if standing is not None:
                    refresh_hold(tx, standing)
        return seen

    def _background(self, request: RefundRequest, payment: LookedAt | None) -> Background | None:
        """Read anew only while there is something to decide; afterwards it stays what was seen."""
        waits = request.state is State.PENDING_APPROVAL
        facts = payment.facts if payment is not None and waits else None
        return self.read_background(request.environment, request.payment, facts)
