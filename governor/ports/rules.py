"""Approval rules in the store: every revision of each is kept, so that a past decision can be explained."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.rules import Rule


@dataclass(frozen=True)
class WrittenRule:
    """One revision of a rule, with the credential that wrote it and when (UTC)."""

    rule: Rule
    written_by: str
    written_at: datetime


class RuleReads(Protocol):
    """Looking at rules, within one environment."""

    def rules(self, environment: str, *, archived: bool = False) -> tuple[Rule, ...]:
        """Each rule as it stands, oldest first; the archived ones only when asked for."""
        ...

    def rule_revisions(self, environment: str, rule_id: str) -> tuple[WrittenRule, ...]:
        """Every revision of a rule, newest first; none of a rule that there never was."""
        ...


class RuleWrites(Protocol):
    """What a transaction does with rules, and what an admission asks for their sake."""

    def write_rule(self, rule: Rule, by: str) -> None:
        """A new revision of a rule, the first one included; it binds from now on."""
        ...

    def active_rules(self) -> tuple[Rule, ...]:
        """The environment's rules that are not archived; read anew only when one, or a limit, has changed."""
        ...

    def refunded_customers(self, customers: Collection[str]) -> frozenset[str]:
        """Those of them who have had a refund: one of ours that succeeded, or one made elsewhere."""
        ...
