"""The gate right before the bytes leave: what must still be so then, all of it read at one moment of the database."""

from __future__ import annotations

from governor.domain.approval_facts import still_approved
from governor.domain.credentials import alive
from governor.domain.freezes import frozen_by
from governor.domain.late_limits import NEEDS_CAPACITY
from governor.domain.recovery import key_is_young
from governor.domain.requests import RefundRequest
from governor.ports.records import AtTheGate

NOT_APPROVED = "not_as_approved"
"""What is about to be sent is not what people approved: somebody has been at the database."""


def why_closed(gate: AtTheGate, asked: RefundRequest, *, first: bool) -> str | None:
    """Why the request as it was claimed must not be sent now; None when the gate is open.

    The lease must still be ours in the database, and the key young by the database's clock: a worker that slept
    for days sends nothing. `first`: no earlier call can have been executed. What may have left already waits for
    no room.
    """
    now_here = gate.request
    if now_here is None or not now_here.is_leased(asked.lease_token, gate.now):
        return "lease_lost"
    if now_here.cancel_requested_at is not None:
        return "not_wanted"
    if not alive(gate.chain, gate.now):
        return "credential_dead"
    if not key_is_young(now_here, gate.now):
        return "key_too_old"
    if asked.quorum and not still_approved(asked, gate.votes):
        return NOT_APPROVED
    if first and now_here.unproven and not gate.observed:
        return NEEDS_CAPACITY
    return _stopped(gate, asked)


def _stopped(gate: AtTheGate, asked: RefundRequest) -> str | None:
    if not gate.same_history:
        return "history_changed"
    if gate.environment is None or gate.environment.stopped is not None:
        return "environment_stopped"
    return "frozen" if frozen_by(gate.freezes, asked.subject) is not None else None
