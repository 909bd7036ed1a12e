"""Everything about approval rules, as one group of verbs."""

from __future__ import annotations

from dataclasses import dataclass

from governor.ports.past import Past
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.change_rule import ChangeRule
from governor.usecases.read_rules import ReadRules
from governor.usecases.simulate_policy import SimulatePolicy


@dataclass(frozen=True)
class ApprovalRules:
    """Change them, look at them, and try them on the past."""

    change: ChangeRule
    read: ReadRules
    simulate: SimulatePolicy


def approval_rules(store: UnitOfWork, ids: IdFactory, past: Past) -> ApprovalRules:
    """Over one store."""
    return ApprovalRules(ChangeRule(store, ids), ReadRules(store, past), SimulatePolicy(store, past))
