"""Telling, once, that nobody has decided and the time runs out (usecases/expire_holds books that it has)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.requests import RefundRequest, spelled
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.holds import hold_of

AT_ONCE = 200
"""How many are read at a time."""


@dataclass(frozen=True)
class NoteExpiring:
    """A notice for each hold of which three quarters of its time are over, where the environment wants notices."""

    store: UnitOfWork

    def due(self, environment: str) -> bool:
        """Whether there is anything to tell; looked at without taking the environment's line."""
        now = self.store.now()
        with self.store.reading() as reads:
            here = reads.environment_named(environment)
            return here is not None and here.expiry_notices and reads.anything_expiring(environment, now)

    def __call__(self, environment: str) -> int:
        """Tell of each that is due, once; returns how many. What has expired meanwhile is told as expired."""
        told = 0
        with self.store.environment(environment) as tx:
            while tx.here.expiry_notices and (due := tx.expiring_holds(at_most=AT_ONCE)):
                for request in due:
                    told += _noted(tx, request)
        return told


def _noted(tx: Transaction, request: RefundRequest) -> bool:
    tx.save_requests([replace(request, expiring_at=None)])
    checkpoint("expire.noted")
    if request.expires_at is None or tx.now >= request.expires_at:
        return False
    hold = hold_of(tx, request)
    told = {"hold": hold.id, "expires_at": spelled(hold.expires_at), "approvals": len(hold.approvals)}
    tx.append_audit([Entry("governor", "refund_request.expiring", request.id, told)])
    return True
