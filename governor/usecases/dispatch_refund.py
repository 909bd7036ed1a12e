"""Dispatching: claim → gate → one provider call with no transaction open → evidence → fold.

A crash between any two of these steps leaves a row that says where it stopped: `dispatching` under a lease
that runs out. What then becomes of it is decided by evidence, never by the crash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.errors import Unavailable, require
from governor.domain.evidence import Evidence, Source
from governor.domain.lifecycle import Event, move
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.ports.provider import PaymentProvider, RefundOrder
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.apply_evidence import apply_evidence
from governor.usecases.fence_environment import fence
from governor.usecases.gate import NOT_APPROVED, why_closed
from governor.usecases.prove_capacity import fitting
from governor.usecases.release_dead import still_wanted
from governor.usecases.together import Together

LEASE = timedelta(seconds=60)
"""How long a worker may hold a request. Longer than the gate, the call's deadline and the recording."""

CALL_SECONDS = 30.0
"""The hard total deadline of the provider call: well under the lease (DESIGN §7)."""


@dataclass(frozen=True)
class Claim:
    """A request under our lease, as claimed. `claimed_monotonic` is this process's monotonic clock, seconds.

    `first`: no earlier call can have been executed, because none was made or each was proven not to be. So a
    provider that refuses for an hour leaves nobody in doubt.
    """

    request: RefundRequest
    first: bool
    claimed_monotonic: float


@dataclass(frozen=True)
class Heard:
    """What one call has brought: a reply, or that nothing was sent."""

    request: str
    lease: int
    evidence: Evidence
    reply: Reply

    def recorded(self, tx: Transaction) -> RecordedEvidence:
        """As it is kept.

        That nothing has left is our own word where no answer says so, and that counts only under our lease: who has
        lost it may be the restored copy of a machine that did send.
        """
        reply, evidence = self.reply, self.evidence
        if evidence.outcome is Outcome.NOT_EXECUTED and reply.http_status is None:
            request = tx.request(tx.here.name, self.request)
            if request is None or not request.is_leased(self.lease, tx.now):
                evidence = replace(evidence, outcome=Outcome.UNKNOWN)
        return RecordedEvidence(evidence, reply.reason, reply.http_status, reply.provider_request_id, tx.now)


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
        checkpoint("claim.before_tx")
        started = self.monotonic()
        with self.store.environment(environment) as tx:
            if tx.here.stopped is not None:
                return []
            due = tx.due(at_most=at_most)
            # First of all: in a database that was put back, nothing proves that what is queued was not sent.
            if due and fence(tx):
                return []
            due = tuple(fitting(tx, still_wanted(tx, due)))
            granted = tx.take_tokens(len(due)) if due else 0
            claims = claim_requests(tx, due[:granted], started)
            checkpoint("claim.before_commit")
        checkpoint("claim.committed")
        return claims

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
        # The call's time runs before the gate is looked at: who is held up between the two has no time left to send.
        ends_at = self.monotonic() + CALL_SECONDS
        closed = self._closed_gate(claim)
        if closed is not None:
            checkpoint("gate.closed")
            not_sent = Evidence(Source.NOT_SENT, Outcome.NOT_EXECUTED, attempt=claim.request.attempts)
            alarm = Alarm.IDENTITY_BROKEN if closed == NOT_APPROVED else None
            why = Reply(Outcome.NOT_EXECUTED, closed, retry_after_seconds=5, alarm=alarm)
            return self._record(claim, not_sent, why)
        checkpoint("gate.passed")
        reply = self.provider.create_refund(
            RefundOrder.of(claim.request),
            first=claim.first,
            deadline_seconds=ends_at - self.monotonic(),
        )
        evidence = Evidence(
            Source.REPLY, reply.outcome, attempt=claim.request.attempts, kept=reply.kept, refund=reply.refund
        )
        return self._record(claim, evidence, reply)

    def _closed_gate(self, claim: Claim) -> str | None:
        """Why the bytes must not leave, looked at right before they would; None when the gate is open.

        Naming the account may take its time, so it comes first: between the last look and the bytes nothing waits.
        """
        asked = claim.request
        other_account = self._other_account(asked)
        if other_account is not None:
            return other_account
        with self.store.reading() as reads:
            gate = reads.at_the_gate(asked.environment, asked.id, asked.requested_by)
        return why_closed(gate, asked, first=claim.first) or self._too_old(claim)

    def _too_old(self, claim: Claim) -> str | None:
        """By a clock that nobody can set, the time since the claim must be short: a call has to end inside the lease."""
        held = timedelta(seconds=self.monotonic() - claim.claimed_monotonic)
        return "claim_too_old" if held >= LEASE - timedelta(seconds=CALL_SECONDS) else None

    def _other_account(self, request: RefundRequest) -> str | None:
        """A key that was changed to one of another account must not send this request (RELIABILITY D14)."""
        try:
            account = self.provider.read_account().id
        except Unavailable:
            return "account_unknown"
        return "account_changed" if account != request.account else None

    def _record(self, claim: Claim, evidence: Evidence, reply: Reply) -> RefundRequest:
        """Transaction 2: the evidence, and what all evidence together proves.

        What the provider says speaks for its own attempt, whoever holds the lease by now.
        """
        require(evidence.attempt is not None, "evidence_without_attempt")
        checkpoint("evidence.before_tx")
        request = claim.request
        heard = Heard(request.id, request.lease_token, evidence, reply)
        after = self._together.decide(request.environment, heard)
        checkpoint("evidence.committed")
        return after

    @cached_property
    def _together(self) -> Together[Heard, RefundRequest]:
        """Replies that come at the same moment are recorded in one transaction."""
        return Together(self._record_all)

    def _record_all(self, environment: str, take: Callable[[], Sequence[Heard]]) -> list[RefundRequest]:
        with self.store.environment(environment) as tx:
            after = [apply_evidence(tx, heard.request, heard.recorded(tx), heard.reply) for heard in take()]
            checkpoint("fold.before_commit")
            return after


def claim_requests(tx: Transaction, requests: Sequence[RefundRequest], monotonic: float) -> list[Claim]:
    """Take requests under a new lease: one more attempt of each is recorded before it can be made.

    `monotonic` is what this process's clock showed before it joined the environment's line.

    All of them hold their capacity before and after, so that only their standing changes.
    """
    claims = [Claim(_claimed(tx, one), one.first_sent_at is None, monotonic) for one in requests]
    if claims:
        tx.save_requests([claim.request for claim in claims])
        told = zip(requests, claims, strict=True)
        tx.append_audit([_claim_entry(before, claim.request) for before, claim in told])
    return claims


def _claimed(tx: Transaction, request: RefundRequest) -> RefundRequest:
    return replace(
        request,
        state=move(request.state, Event.CLAIM),
        updated_at=tx.now,
        attempts=request.attempts + 1,
        first_sent_at=request.first_sent_at or tx.now,
        lease_token=request.lease_token + 1,
        lease_until=tx.now + LEASE,
        due_at=None,
    )


def _claim_entry(before: RefundRequest, after: RefundRequest) -> Entry:
    facts = {
        "attempt": after.attempts,
        "lease": after.lease_token,
        "from": before.state.value,
        "to": after.state.value,
    }
    return Entry("governor", "refund_request.claimed", after.id, facts)
