"""Evidence comes in: keep it, fold everything known, and let the lifecycle table say what that moves."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.errors import require
from governor.domain.evidence import Expected, Proof, fold
from governor.domain.lifecycle import CAPACITY, MOVES, Capacity, Event, State, move
from governor.domain.outcome import Alarm, Reply
from governor.domain.recovery import next_look_at
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import contradicted
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction
from governor.usecases.count_exposure import count_late_truth

_BACK_OFF_SECONDS = (1, 2, 5, 15, 60, 300, 900, 3600)
"""Waiting between attempts that provably were not executed; the last one repeats."""


def apply_evidence(
    tx: Transaction, request_id: str, recorded: RecordedEvidence, reply: Reply | None = None
) -> RefundRequest:
    """Record one piece of evidence and move the request as far as all its evidence proves.

    `reply` carries what is not evidence about the money: when to try again, and what to raise alarm about.
    """
    request = tx.request(tx.here.name, request_id)
    require(request is not None, "evidence_for_nothing", request_id)
    if request is None or not tx.add_evidence(request_id, recorded):
        return request  # type: ignore[return-value]  # `require` has refused None
    checkpoint("evidence.stored")
    known = [item.evidence for item in tx.evidence(tx.here.name, request_id)]
    expected = Expected(request.id, request.payment, request.amount_minor, request.currency)
    proof = fold(expected, request.attempts, known)
    after = _moved(tx, request, proof, recorded, reply)
    tx.carry(request, after)
    count_late_truth(tx, request, after)
    checkpoint("fold.counters_moved")
    _enqueue_again(tx, request, after)
    tx.append_audit([_entry(request, after, proof, recorded, reply)])
    against_people = contradicted(known, request.state, after.state)
    if against_people:
        facts = {"from": request.state.value, "to": after.state.value}
        tx.append_audit([Entry("governor", "refund_request.resolution_contradicted", after.id, facts)])
    _stop_writes(tx, request, after, proof, reply, against_people=against_people)
    return after


def _moved(
    tx: Transaction, request: RefundRequest, proof: Proof, recorded: RecordedEvidence, reply: Reply | None
) -> RefundRequest:
    event = proof.event
    state = move(request.state, event) if event and (request.state, event) in MOVES else request.state
    if state is State.QUEUED and request.cancel_requested_at is not None:
        state = move(state, Event.CANCEL)
    settled = CAPACITY[state] is Capacity.SETTLED
    wait = _BACK_OFF_SECONDS[min(request.attempts, len(_BACK_OFF_SECONDS)) - 1] if request.attempts else 1
    wait = max(wait, reply.retry_after_seconds if reply else 0)
    return replace(
        request,
        state=state,
        updated_at=tx.now,
        moved_minor=proof.moved_minor if settled else 0,
        provider_reference=proof.reference or request.provider_reference,
        next_action=NextAction.WAIT if CAPACITY[state] is Capacity.HELD else NextAction.NONE,
        next_action_at=None,
        lease_until=request.lease_until if state is State.DISPATCHING else None,
        due_at=_due_at(tx, request, state, wait),
        # Back in the queue means that no attempt was executed: the provider has never seen the key.
        first_sent_at=None if state is State.QUEUED else request.first_sent_at,
        last_reason=recorded.reason,
        manual=proof.manual,
    )


def _due_at(tx: Transaction, request: RefundRequest, state: State, wait_seconds: int) -> datetime | None:
    """When somebody should touch it next: the sender if it is queued, recovery if it is unresolved."""
    if state is State.QUEUED:
        return tx.now + timedelta(seconds=wait_seconds)
    if state not in {State.UNKNOWN, State.PROVIDER_PENDING}:
        return None
    return (
        request.due_at if request.due_at and request.due_at > tx.now else next_look_at(tx.now, request.looks)
    )


def _enqueue_again(tx: Transaction, before: RefundRequest, after: RefundRequest) -> None:
    if after.state is State.QUEUED and before.state is not State.QUEUED and after.due_at is not None:
        tx.enqueue([(after.id, after.due_at)])


def _entry(
    before: RefundRequest,
    after: RefundRequest,
    proof: Proof,
    recorded: RecordedEvidence,
    reply: Reply | None,
) -> Entry:
    evidence = recorded.evidence
    facts = {
        "source": evidence.source.value,
        "outcome": evidence.outcome.value,
        "reason": recorded.reason,
        "attempt": evidence.attempt,
        "provider_request": recorded.provider_request_id,
        "from": before.state.value,
        "to": after.state.value,
        "moved": proof.moved_minor,
        "reference": after.provider_reference,
        "alarm": reply.alarm.value if reply and reply.alarm else None,
    }
    return Entry("governor", "refund_request.evidence", after.id, facts)


def _stop_writes(
    tx: Transaction,
    request: RefundRequest,
    after: RefundRequest,
    proof: Proof,
    reply: Reply | None,
    *,
    against_people: bool,
) -> None:
    """Halt the environment on an overrun or evidence that does not fit; pause it when its key is refused.

    A refund that appears after its release is an overrun too, final or not: its room may be taken by others
    (invariants 10 and 11).
    """
    late = CAPACITY[request.state] is Capacity.RELEASED and CAPACITY[after.state] is not Capacity.RELEASED
    broken = reply is not None and (
        reply.alarm is Alarm.IDENTITY_BROKEN
        or (reply.alarm is Alarm.INCONSISTENT_REPLY and reply.refund is not None)
    )
    here = tx.here
    if proof.overrun or proof.inconsistent or late or broken or against_people:
        reason = "overrun" if proof.overrun or late else "inconsistent_evidence"
        reason = "resolution_contradicted" if against_people and not late else reason
        here = replace(here, halted_reason=f"{reason}: {request.id}")
    if reply is not None and reply.alarm is Alarm.PAUSE_ENVIRONMENT:
        here = replace(here, paused_reason=reply.reason)
    if here != tx.here:
        before, here = tx.here, replace(here, revision=here.revision + 1)
        tx.save_environment(here)
        told = {"from": before.stops, "to": here.stops}
        tx.append_audit([Entry("governor", "environment.stopped", here.name, told)])
