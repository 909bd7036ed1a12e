"""Recovery: a request in doubt, or pending at the provider, is looked at until evidence says what happened.

Reads go on while the environment is stopped; replays do not (invariant 15). Nothing here releases a hold
because a read found nothing: absence proves nothing while a call may still arrive (RELIABILITY §0, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.errors import Unavailable
from governor.domain.evidence import Evidence, Source
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund
from governor.domain.recovery import LOOKS_BEFORE_FLAG, Look, look, next_look_at
from governor.domain.requests import RefundRequest
from governor.ports.provider import PaymentProvider
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.apply_evidence import apply_evidence
from governor.usecases.dispatch_refund import Claim, DispatchRefund, claim_requests
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
        checkpoint("recover.before_tx")
        replays, reads = self._plan(environment)
        checkpoint("recover.planned")
        for claim in replays:
            self.dispatch.send(claim)
        for request in reads:
            self._read(request)
        return len(replays) + len(reads)

    def _plan(self, environment: str) -> tuple[list[Claim], list[RefundRequest]]:
        """Choose how to look at each, and write down when the next look is, before anything is asked."""
        started = self.dispatch.monotonic()
        replays: list[Claim] = []
        reads: list[RefundRequest] = []
        with self.store.environment(environment) as tx:
            for request in tx.unresolved(at_most=AT_MOST):
                noted = _noted(tx, request)
                how = look(request, tx.now, stopped=tx.here.stopped is not None or _resolved(tx, request))
                if how is Look.REPLAY and tx.take_tokens(1):
                    replays += [Claim(one, started) for one in claim_requests(tx, [noted])]
                else:
                    tx.carry(request, noted)
                    reads.append(noted)
        return replays, reads

    def _read(self, request: RefundRequest) -> None:
        """Ask the provider what it has of this payment, and keep what names this request."""
        try:
            found = self.provider.list_refunds(request.payment)
        except Unavailable:
            return  # Nothing was learnt, so nothing is recorded; the next look is already noted.
        checkpoint("recover.read")
        with self.store.environment(request.environment) as tx:
            see_refunds(tx, request.payment, found, customer=request.customer)
            if request.last_reason == REFUSED_WITHOUT_PROOF and request.attempts == 1:
                _refuse_if_absent(tx, request, found)


def _resolved(tx: Transaction, request: RefundRequest) -> bool:
    """Whether people have said how it ended: then it is never sent again, whatever refund has been seen since."""
    if request.provider_reference is None:
        return False
    return any(one.evidence.source is Source.OPERATOR for one in tx.evidence(tx.here.name, request.id))


def _refuse_if_absent(tx: Transaction, request: RefundRequest, found: Sequence[ProviderRefund]) -> None:
    """The only call has come back as a refusal; if it left nothing behind, no call can still arrive."""
    if any(refund.request_id == request.id or refund.id == request.provider_reference for refund in found):
        return
    refused = Evidence(Source.READ, Outcome.REJECTED, attempt=1)
    recorded = RecordedEvidence(refused, "refused_and_absent", None, None, tx.now)
    apply_evidence(tx, request.id, recorded)


def _noted(tx: Transaction, request: RefundRequest) -> RefundRequest:
    """The request with its next look noted; after many looks an operator is asked to look, too."""
    looks = request.looks + 1
    flagged_at = request.flagged_at
    if looks >= LOOKS_BEFORE_FLAG and flagged_at is None:
        flagged_at = tx.now
        tx.append_audit([Entry("governor", "refund_request.flagged", request.id, {"looks": looks})])
    return replace(request, looks=looks, flagged_at=flagged_at, due_at=next_look_at(tx.now, looks))
