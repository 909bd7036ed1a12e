"""Holds that nobody decided in time: their capacity is free from that instant, whoever books it first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.lifecycle import Event, move
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.fence_environment import keeps_all

AT_ONCE = 200
"""How many are read at a time."""


def expire_due(tx: Transaction) -> int:
    """Release every hold whose time is over; returns how many.

    Called by each admission, so expiry needs no job to have run. All of them, however many: room that is
    free must not be denied. None while the environment is fenced: then nobody knows what is free.
    """
    if keeps_all(tx):
        return 0
    expired = 0
    while due := tx.expired_holds(at_most=AT_ONCE):
        _expire(tx, due)
        expired += len(due)
    return expired


def _expire(tx: Transaction, due: tuple[RefundRequest, ...]) -> None:
    for request in due:
        after = replace(
            request,
            state=move(request.state, Event.EXPIRE),
            updated_at=tx.now,
            next_action=NextAction.NONE,
            next_action_at=None,
        )
        tx.carry(request, after)
        checkpoint("expire.released")
        told = {"hold": request.hold, "from": request.state.value, "to": after.state.value}
        tx.append_audit([Entry("governor", "refund_request.expired", request.id, told)])


@dataclass(frozen=True)
class ExpireHolds:
    """The same as periodic work, so that states and notices do not wait for the next admission."""

    store: UnitOfWork

    def due(self, environment: str) -> bool:
        """Whether there is anything to expire; looked at without taking the environment's line."""
        now = self.store.now()
        with self.store.reading() as reads:
            here = reads.environment_named(environment)
            fenced = here is not None and here.fenced_at is not None
            return not fenced and reads.anything_expired(environment, now)

    def __call__(self, environment: str) -> int:
        """Expire what is due; returns how many."""
        with self.store.environment(environment) as tx:
            return expire_due(tx)
