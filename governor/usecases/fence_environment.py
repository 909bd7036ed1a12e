"""The fence: a database that was put in the place of another one may have forgotten refunds that were made.

A standby that took over, or a backup put back, has another history than the one that dispatch last saw. Nothing is
sent from there until the provider's lists were walked anew and an operator says so. It is noticed by whoever looks
first: a claim, the gate right before the bytes leave, or cron.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from governor.domain.audit import Entry
from governor.ports.store import Transaction, UnitOfWork


@dataclass(frozen=True)
class FenceEnvironment:
    """Stop provider writes where the database has another history than dispatch last saw."""

    store: UnitOfWork

    def due(self, environment: str) -> bool:
        """Whether it has; asked without taking the environment's line."""
        with self.store.reading() as reads:
            return reads.history_changed(environment)

    def __call__(self, environment: str) -> None:
        """Fence the environment, if it must be."""
        with self.store.environment(environment) as tx:
            fence(tx)


def keeps_all(tx: Transaction) -> bool:
    """Whether no capacity may be given back now, whatever is decided, revoked or over.

    A database that was put back may have forgotten that the money has left: only the provider knows until it was
    walked and an operator says so.
    """
    return fence(tx) or tx.here.fenced_at is not None


def fence(tx: Transaction) -> bool:
    """Fence the environment if the database's history has changed; whether it has.

    It has changed again when a fence stands already: then everything that was walked since counts for nothing.
    """
    changed = tx.follow_history()
    if changed is None:
        return False
    before, now = changed
    after = replace(tx.here, fenced_at=tx.now, revision=tx.here.revision + 1)
    tx.save_environment(after)
    tx.append_audit([Entry("governor", "environment.fenced", after.name, {"before": before, "now": now})])
    return True
