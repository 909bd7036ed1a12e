"""Dispatching: claim → gate → one provider call with no transaction open → evidence → fold.

A crash between any two of these steps leaves a row that says where it stopped: `dispatching` under a lease
that runs out. What then becomes of it is decided by evidence, never by the crash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.environments import Environment
from governor.domain.errors import Unavailable, require
from governor.domain.evidence import Evidence, Source
from governor.domain.lifecycle import Event, State, move
from governor.domain.outcome import Outcome, Reply
from governor.domain.recovery import KEY_LIFE
from governor.domain.requests import RefundRequest
from governor.ports.provider import PaymentProvider, RefundOrder
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.apply_evidence import apply_evidence

LEASE = timedelta(seconds=60)
"""How long a worker may hold a request. Longer than the gate, the call's deadline and the recording."""

CALL_SECONDS = 30.0
"""The hard total deadline of the provider call: well under the lease (DESIGN §7)."""


@dataclass(frozen=True)
class Claim:
    """A request under our lease, as claimed. `claimed_monotonic` is this process's monotonic clock, seconds."""

    request: RefundRequest
    claimed_monotonic: float


def order_of(request: RefundRequest) -> RefundOrder:
    """The call, word for word: a function of the request alone, so that every attempt is the same (invariant 5)."""
    return RefundOrder(
        request_id=request.id,
        payment=request.payment,
        amount_minor=request.amount_minor,
        currency=request.currency,
        reason=request.reason,
        idempotency_key=f"governor-{request.id}",
        account=request.account,
    )


@dataclass(frozen=True)
class DispatchRefund:
    """Send what is due in an environment. `monotonic` is the process's monotonic clock in seconds."""

    store: UnitOfWork
    provider: PaymentProvider
    monotonic: Callable[[], float]

    def environment_of(self, request_id: str) -> str | None:
        """Where a job's request lives; None for an invented id."""
        with self.store.reading() as reads:
            return reads.environment_of(request_id)

    def claim(self, environment: str, at_most: int) -> list[Claim]:
        """Transaction 1: take due requests under a lease, as many as the provider's rate allows now."""
        started = self.monotonic()
        with self.store.environment(environment) as tx:
            if tx.here.stopped is not None:
                return []
            due = [request for request in tx.due(at_most=at_most) if _still_wanted(tx, request)]
            granted = tx.take_tokens(len(due)) if due else 0
            return [Claim(claim_request(tx, request), started) for request in due[:granted]]

    def may_go_on(self, environment: str) -> bool:
        """Whether something is due that only waits for a token of the provider's rate."""
        now = self.store.now()
        with self.store.reading() as reads:
            here = reads.environment_named(environment)
            return here is not None and here.stopped is None and reads.anything_due(environment, now)

    def send(self, claim: Claim) -> RefundRequest:
        """Gate, call, record.

        No transaction is open while we wait: a slow provider must not hold the environment's line.
        """
        closed = self._closed_gate(claim)
        if closed is not None:
            not_sent = Evidence(Source.NOT_SENT, Outcome.NOT_EXECUTED, attempt=claim.request.attempts)
            return self._record(claim, not_sent, Reply(Outcome.NOT_EXECUTED, closed, retry_after_seconds=5))
        reply = self.provider.create_refund(
            order_of(claim.request), first=claim.request.attempts == 1, deadline_seconds=CALL_SECONDS
        )
        evidence = Evidence(
            Source.REPLY, reply.outcome, attempt=claim.request.attempts, kept=reply.kept, refund=reply.refund
        )
        return self._record(claim, evidence, reply)

    def _closed_gate(self, claim: Claim) -> str | None:
        """Why the bytes must not leave, read right before they would; None when the gate is open.

        The lease must still be ours in the database, the key young by the database's clock, and the time
        since the claim short by a clock that nobody can set: a worker that slept for days sends nothing.
        """
        with self.store.reading() as reads:
            now_here = reads.request(claim.request.environment, claim.request.id)
            environment = reads.environment_named(claim.request.environment)
            chain = reads.credential_chains(claim.request.environment, [claim.request.requested_by])
        now = self.store.now()
        if now_here is None or now_here.lease_token != claim.request.lease_token:
            return "lease_lost"
        if now_here.state is not State.DISPATCHING or now_here.cancel_requested_at is not None:
            return "not_wanted"
        credentials = chain.get(claim.request.requested_by, ())
        if not credentials or not all(one.live_at(now) for one in credentials):
            return "credential_dead"
        if now_here.first_sent_at is None or now - now_here.first_sent_at >= KEY_LIFE:
            return "key_too_old"
        if (
            self.monotonic() - claim.claimed_monotonic
            >= (LEASE - timedelta(seconds=CALL_SECONDS)).total_seconds()
        ):
            return "claim_too_old"
        return _stopped(environment) or self._other_account(claim.request)

    def _other_account(self, request: RefundRequest) -> str | None:
        """A key that was changed to one of another account must not send this request (RELIABILITY D14)."""
        try:
            account = self.provider.read_account().id
        except Unavailable:
            return "account_unknown"
        return "account_changed" if account != request.account else None

    def _record(self, claim: Claim, evidence: Evidence, reply: Reply) -> RefundRequest:
        """Transaction 2: the evidence, and what all evidence together proves.

        The reply speaks for its own attempt, whoever holds the lease by now.
        """
        require(evidence.attempt is not None, "evidence_without_attempt")
        with self.store.environment(claim.request.environment) as tx:
            recorded = RecordedEvidence(
                evidence, reply.reason, reply.http_status, reply.provider_request_id, tx.now
            )
            return apply_evidence(tx, claim.request.id, recorded, reply)


def _stopped(environment: Environment | None) -> str | None:
    return "environment_stopped" if environment is None or environment.stopped is not None else None


def _still_wanted(tx: Transaction, request: RefundRequest) -> bool:
    """A queued request of a dead credential is not sent; its hold is released (invariant 2)."""
    chain = tx.credential_chains(tx.here.name, [request.requested_by]).get(request.requested_by, ())
    if chain and all(one.live_at(tx.now) for one in chain):
        return True
    after = replace(
        request,
        state=move(request.state, Event.CANCEL),
        updated_at=tx.now,
        next_action=NextAction.NONE,
        last_reason="credential_dead",
    )
    tx.carry(request, after)
    tx.append_audit([Entry("governor", "refund_request.canceled", request.id, {"why": "credential_dead"})])
    return False


def claim_request(tx: Transaction, request: RefundRequest) -> RefundRequest:
    """Take a request under a new lease: one more attempt is recorded before it can be made."""
    after = replace(
        request,
        state=move(request.state, Event.CLAIM),
        updated_at=tx.now,
        attempts=request.attempts + 1,
        first_sent_at=request.first_sent_at or tx.now,
        lease_token=request.lease_token + 1,
        lease_until=tx.now + LEASE,
        due_at=None,
    )
    tx.carry(request, after)
    facts = {"attempt": after.attempts, "lease": after.lease_token}
    tx.append_audit([Entry("governor", "refund_request.claimed", request.id, facts)])
    return after
