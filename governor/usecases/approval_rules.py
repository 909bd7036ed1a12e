"""Everything about approval rules, as one group of verbs."""

from __future__ import annotations

from dataclasses import dataclass

from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.change_rule import ChangeRule
from governor.usecases.read_rules import ReadRules


@dataclass(frozen=True)
class ApprovalRules:
    """Change them, and look at them."""

    change: ChangeRule
    read: ReadRules


def approval_rules(store: UnitOfWork, ids: IdFactory) -> ApprovalRules:
    """Over one store."""
    return ApprovalRules(ChangeRule(store, ids), ReadRules(store))
