"""Looking at approval rules."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.rules import Rule
from governor.ports.rules import WrittenRule
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.change_rule import existing_rule, history_of


@dataclass(frozen=True)
class ReadRules:
    """The rules of the caller's environment, and what became of them."""

    store: UnitOfWork

    def all(self, caller: Caller, *, archived: bool = False) -> tuple[Rule, ...]:
        """Each as it stands, oldest first; the archived ones only when asked for."""
        with self.store.reading() as reads:
            return reads.rules(caller.environment, archived=archived)

    def one(self, caller: Caller, rule_id: str) -> Rule:
        """One rule as it stands.

        Raises:
            NotFound: `rule_not_found`.
        """
        with self.store.reading() as reads:
            return existing_rule(reads, caller.environment, rule_id)

    def history(self, caller: Caller, rule_id: str) -> tuple[WrittenRule, ...]:
        """Every revision of a rule, newest first.

        Raises:
            NotFound: `rule_not_found`.
        """
        with self.store.reading() as reads:
            return history_of(reads, caller.environment, rule_id)
