"""Leases that ran out: their worker may have died anywhere, also after the bytes left. So: unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.lifecycle import Event, move
from governor.domain.recovery import next_look_at
from governor.ports.store import UnitOfWork


@dataclass(frozen=True)
class RecoverLeases:
    """Move requests of lost workers to `unknown`, where they keep their hold."""

    store: UnitOfWork

    def due(self, environment: str) -> bool:
        """Whether any lease has run out; looked at without taking the environment's line."""
        now = self.store.now()
        with self.store.reading() as reads:
            return reads.anything_lost(environment, now)

    def __call__(self, environment: str) -> int:
        """Returns how many were moved."""
        with self.store.environment(environment) as tx:
            lost = tx.lost_leases(at_most=200)
            for request in lost:
                checkpoint("sweep.lease_found")
                after = replace(
                    request,
                    state=move(request.state, Event.LEASE_LOST),
                    updated_at=tx.now,
                    lease_until=None,
                    due_at=next_look_at(tx.now, request.looks),
                    last_reason="lease_lost",
                )
                tx.carry(request, after)
                told = {
                    "attempt": request.attempts,
                    "from": request.state.value,
                    "to": after.state.value,
                }
                tx.append_audit([Entry("governor", "refund_request.lease_lost", request.id, told)])
            checkpoint("sweep.before_commit")
            return len(lost)
