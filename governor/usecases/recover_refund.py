"""Recovery: a request in doubt, or pending at the provider, is looked at until evidence says what happened.

Reads go on while the environment is stopped; replays do not (invariant 15). Nothing here releases a hold
because a read found nothing: absence proves nothing while a call may still arrive (RELIABILITY §0, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.credentials import alive
from governor.domain.environments import Environment
from governor.domain.errors import Unavailable
from governor.domain.evidence import Evidence, Source
from governor.domain.freezes import frozen_by
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund
from governor.domain.recovery import (
    ABSENT,
    ABSENT_AGAIN,
    CLOCKS_APART,
    LOOKS_BEFORE_FLAG,
    SAVED_500,
    Look,
    could_be_absent,
    look,
    next_look_at,
)
from governor.domain.requests import RefundRequest, provider_key
from governor.ports.provider import PaymentProvider
from governor.ports.reads import Reads
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.apply_evidence import apply_evidence
from governor.usecases.dispatch_refund import Claim, DispatchRefund, claim_requests
from governor.usecases.fence_environment import fence
from governor.usecases.release_dead import chains_of
from governor.usecases.see_refunds import see_refunds

AT_MOST = 20
"""How many one round looks at: reads count against Stripe's budget of reads (STRIPE.md §6)."""

REFUSED_WITHOUT_PROOF = "refused_without_proof"
"""The adapter's word for a refusal that one list read turns into proof (STRIPE.md §2b, rows 9 and 12)."""


@dataclass(frozen=True)
class RecoverRefund:
    """Look at what is unresolved and due for a look."""

    store: UnitOfWork
    provider: PaymentProvider
    dispatch: DispatchRefund

    def due(self, environment: str) -> bool:
        """Whether anything waits for a look; asked without taking the environment's line."""
        now = self.store.now()
        with self.store.reading() as reads:
            return reads.anything_unresolved(environment, now)

    def __call__(self, environment: str) -> int:
        """One bounded round; returns how many requests it looked at."""
        looked, again = 0, True
        while again and looked < AT_MOST:
            checkpoint("recover.before_tx")
            replay, reads = self._plan(environment, AT_MOST - looked)
            checkpoint("recover.planned")
            if replay is not None:
                self.dispatch.send(replay)
            for request in reads:
                self._read(request)
            looked += len(reads) + (replay is not None)
            again = replay is not None
        return looked

    def _plan(self, environment: str, at_most: int) -> tuple[Claim | None, list[RefundRequest]]:
        """Choose how to look at each, and write down when the next look is, before anything is asked.

        It ends with the first that is to be sent again: its lease runs from now on, and behind a slow provider
        no second lease could wait for its turn.
        """
        started = self.dispatch.monotonic()
        reads: list[RefundRequest] = []
        with self.store.environment(environment) as tx:
            fence(tx)
            unresolved = tx.unresolved(at_most=at_most)
            how = how_to_look(tx, tx.here, unresolved, tx.now)
            for request in unresolved:
                noted = _noted(tx, request)
                if how[request.id] is Look.REPLAY and tx.take_tokens(1):
                    (replay,) = claim_requests(tx, [noted], started)
                    return replay, reads
                tx.carry(request, noted)
                reads.append(noted)
        return None, reads

    def look_now(self, request: RefundRequest) -> None:
        """Ask the provider now what it has of this payment, whatever the schedule says. Sends nothing.

        Raises:
            Unavailable: it could not be read, and nothing was learnt.
        """
        self._book(request, *self._asked(request))

    def _read(self, request: RefundRequest) -> None:
        """Ask the provider what it has of this payment, and keep what names this request."""
        try:
            found, absent = self._asked(request)
        except Unavailable:
            return  # Nothing was learnt, so nothing is recorded; the next look is already noted.
        self._book(request, found, absent)

    def _asked(self, request: RefundRequest) -> tuple[tuple[ProviderRefund, ...], bool]:
        """All refunds of the payment, and whether the provider knows none of this request."""
        found = self.provider.list_refunds(request.payment)
        absent = not any(_is_of(refund, request) for refund in found) and self._told_nothing(request)
        return found, absent

    def _book(self, request: RefundRequest, found: tuple[ProviderRefund, ...], absent: bool) -> None:
        checkpoint("recover.read")
        with self.store.environment(request.environment) as tx:
            see_refunds(tx, request.payment, found, customer=request.customer)
            if absent:
                _found_nothing(tx, request)

    def _told_nothing(self, request: RefundRequest) -> bool:
        """Whether the provider's events know no call of this request; asked only when that could prove something."""
        if not could_be_absent(request, self.store.now()) or request.first_sent_at is None:
            return True
        events = self.provider.list_events_since(request.first_sent_at - CLOCKS_APART)
        return not any(event.key == provider_key(request.id) for event in events)


def how_to_look(
    reads: Reads, here: Environment, requests: Sequence[RefundRequest], now: datetime
) -> dict[str, Look]:
    """Per request in this environment, how governor looks at it at `now`, by itself."""
    sendable = _sendable(reads, here, requests, now)
    return {
        one.id: look(one, now, stopped=one.id not in sendable or _resolved(reads, one)) for one in requests
    }


def _sendable(reads: Reads, here: Environment, requests: Sequence[RefundRequest], now: datetime) -> set[str]:
    """Those that may be written to the provider: nothing stops them, and whoever asked still lives (invariant 2)."""
    if here.stopped is not None:
        return set()
    chains, freezes = chains_of(reads, here.name, requests), reads.freezes(here.name)
    return {
        one.id
        for one in requests
        if alive(chains.get(one.requested_by, ()), now) and frozen_by(freezes, one.subject) is None
    }


def _resolved(reads: Reads, request: RefundRequest) -> bool:
    """Whether people have said how it ended: then it is never sent again, whatever refund has been seen since."""
    if request.provider_reference is None:
        return False
    evidence = reads.evidence(request.environment, request.id)
    return any(one.evidence.source is Source.OPERATOR for one in evidence)


def _is_of(refund: ProviderRefund, request: RefundRequest) -> bool:
    return refund.request_id == request.id or refund.id == request.provider_reference


def _found_nothing(tx: Transaction, request: RefundRequest) -> None:
    """An empty look proves something only where no call can still arrive; everywhere else nothing is recorded."""
    if request.last_reason == REFUSED_WITHOUT_PROOF and request.attempts == 1:
        # The only call has come back as a refusal.
        _learn(tx, request, Evidence(Source.READ, Outcome.REJECTED, attempt=1), "refused_and_absent")
    elif could_be_absent(request, tx.now):
        known = tx.evidence(tx.here.name, request.id)
        since = next((one.recorded_at for one in known if one.reason == ABSENT), None)
        if any(one.reason == SAVED_500 for one in known):
            return  # The provider may still carry it out, whenever it likes (STRIPE.md §3): that is for people.
        if since is None:
            _learn(tx, request, Evidence(Source.READ, Outcome.UNKNOWN), ABSENT)
        elif tx.now - since >= ABSENT_AGAIN:
            _learn(tx, request, Evidence(Source.READ, Outcome.NOT_EXECUTED), "absent_for_good")


def _learn(tx: Transaction, request: RefundRequest, evidence: Evidence, reason: str) -> None:
    apply_evidence(tx, request.id, RecordedEvidence(evidence, reason, None, None, tx.now))


def _noted(tx: Transaction, request: RefundRequest) -> RefundRequest:
    """The request with its next look noted; after many looks an operator is asked to look, too."""
    looks = request.looks + 1
    flagged_at = request.flagged_at
    if looks >= LOOKS_BEFORE_FLAG and flagged_at is None:
        flagged_at = tx.now
        tx.append_audit([Entry("governor", "refund_request.flagged", request.id, {"looks": looks})])
    return replace(request, looks=looks, flagged_at=flagged_at, due_at=next_look_at(tx.now, looks))
