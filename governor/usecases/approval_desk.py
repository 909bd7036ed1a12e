"""What approvers look at: what waits, and all that one needs to know before saying yes or no."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.approval import ApprovalHold, Ballot, Choice, Vote, refuse_approver
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Forbidden, NotFound, Unavailable
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.reads import Reads
from governor.ports.records import RequestFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.decide_hold import hold_of
from governor.usecases.look_at_payment import LookAtPayment, LookedAt

LOOKED_BACK = timedelta(days=30)
"""How far back a record and look-alikes are looked for."""

AT_MOST = 200
"""How many requests a record is made of, and how many holds a desk shows; beyond it, says so."""

SPLIT_WITHIN = timedelta(hours=2)
"""Several requests for one customer so close together may be one that was split."""


@dataclass(frozen=True)
class Waiting:
    """A request that waits, with its hold. `why_not` is the code of why this approver cannot approve it."""

    request: RefundRequest
    hold: ApprovalHold
    why_not: str | None

    def risk(self, now: datetime) -> int:
        """Where it stands in the queue: more money and less time left come first (minor units × lateness)."""
        left = max(timedelta(0), self.hold.expires_at - now)
        whole = max(timedelta(seconds=1), self.hold.expires_at - self.request.created_at)
        return self.request.amount_minor * (2 * whole - min(left, whole)) // whole


@dataclass(frozen=True)
class Record:
    """What one agent asked for in the last 30 days: by state, and sums of what was refunded by currency.

    `whole` is False when there was more than is counted here.
    """

    states: Counter[State]
    refunded: Counter[str]
    whole: bool

    @property
    def asked(self) -> int:
        """How many requests there were."""
        return self.states.total()


@dataclass(frozen=True)
class ToDecide:
    """One hold with everything around it. `payment` is None while the provider cannot be read."""

    waiting: Waiting
    votes: tuple[tuple[Vote, datetime], ...]
    payment: LookedAt | None
    requester: Credential | None
    record: Record
    of_customer: tuple[RefundRequest, ...]
    """Other requests for the same customer, newest first; none when the payment names none."""

    @property
    def close_together(self) -> tuple[RefundRequest, ...]:
        """Those of the customer's that were asked for around this one."""
        at = self.waiting.request.created_at
        return tuple(one for one in self.of_customer if abs(one.created_at - at) <= SPLIT_WITHIN)


@dataclass(frozen=True)
class ApprovalDesk:
    """Looking at what waits for people. Deciding is `decide_hold`'s, which looks at everything again."""

    store: UnitOfWork
    look_at_payment: LookAtPayment

    def waiting(self, caller: Caller) -> tuple[Waiting, ...]:
        """What waits here, the riskiest first; of very many, the newest."""
        chosen = RequestFilter(states=(State.PENDING_APPROVAL.value,))
        with self.store.reading() as reads:
            now = self.store.now()
            found = reads.requests(caller.environment, chosen, after=None, at_most=AT_MOST)
            open_still = [one for one in found if one.expires_at is None or now < one.expires_at]
            chains = reads.credential_chains(caller.environment, {one.requested_by for one in open_still})
            waiting = [_waiting(reads, caller, one, chains.get(one.requested_by, ())) for one in open_still]
        return tuple(sorted(waiting, key=lambda one: one.risk(now), reverse=True))

    def to_decide(self, caller: Caller, hold: str) -> ToDecide:
        """One hold. Its payment is looked at as it is now.

        Raises:
            NotFound: `hold_not_found`.
        """
        with self.store.reading() as reads:
            request = reads.request_by_hold(caller.environment, hold)
            if request is None or request.quorum == 0:
                raise NotFound("hold_not_found", "There is no such hold.")
            chain = reads.credential_chains(caller.environment, {request.requested_by}).get(
                request.requested_by, ()
            )
            return ToDecide(
                waiting=_waiting(reads, caller, request, chain),
                votes=reads.votes(caller.environment, hold),
                payment=self._payment(caller, request.payment),
                requester=chain[0] if chain else None,
                record=_record(reads, request, self.store.now()),
                of_customer=_of_customer(reads, request, self.store.now()),
            )

    def _payment(self, caller: Caller, payment: str) -> LookedAt | None:
        try:
            return self.look_at_payment(caller, payment)
        except (NotFound, Unavailable):
            return None


def _waiting(
    reads: Reads, caller: Caller, request: RefundRequest, requester: Sequence[Credential]
) -> Waiting:
    hold = hold_of(reads, request)
    return Waiting(request, hold, _why_not(caller, request, hold, requester))


def _why_not(
    caller: Caller, request: RefundRequest, hold: ApprovalHold, requester: Sequence[Credential]
) -> str | None:
    if caller.role is not Role.APPROVER:
        return "role_not_allowed"
    if caller.credential.owner in hold.approvals:
        return "approved_already"
    try:
        refuse_approver(request, requester, caller.chain, Ballot(Choice.APPROVE, hold.digest, hold.version))
    except Forbidden as refusal:
        return refusal.code
    return None


def _record(reads: Reads, request: RefundRequest, now: datetime) -> Record:
    """What the same credential asked for before."""
    chosen = RequestFilter(requested_by=(request.requested_by,))
    found = reads.requests(request.environment, chosen, after=None, at_most=AT_MOST + 1)
    recent = [one for one in found[:AT_MOST] if now - one.created_at <= LOOKED_BACK and one.id != request.id]
    refunded: Counter[str] = Counter()
    for one in recent:
        refunded[one.currency] += one.moved_minor
    whole = len(found) <= AT_MOST or len(recent) < AT_MOST - 1
    return Record(Counter(one.state for one in recent), refunded, whole)


def _of_customer(reads: Reads, request: RefundRequest, now: datetime) -> tuple[RefundRequest, ...]:
    if request.customer is None:
        return ()
    chosen = RequestFilter(customers=(request.customer,))
    found = reads.requests(request.environment, chosen, after=None, at_most=AT_MOST)
    return tuple(one for one in found if one.id != request.id and now - one.created_at <= LOOKED_BACK)
