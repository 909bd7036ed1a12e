"""A refused attempt at something beyond one's role is worth a row in the audit trail."""

from __future__ import annotations

from dataclasses import dataclass

from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller


@dataclass(frozen=True)
class RecordRefusal:
    """Audit that a known caller tried what their role may not do."""

    store: UnitOfWork

    def __call__(self, caller: Caller, action: str, detail: str) -> None:
        """`action` is the route's name, `detail` a stable word; nothing of the request's body."""
        with self.store.environment(caller.environment) as tx:
            facts = {"action": action, "detail": detail, "role": caller.role.value}
            tx.append_audit([caller.entry("permission.refused", action, facts)])
