"""Rules in memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from adapters.memory import waiting
from adapters.memory.limits import LimitReads
from adapters.memory.tables import Tables
from governor.domain.environments import Environment
from governor.domain.lifecycle import Capacity, State
from governor.domain.limits import Limit
from governor.domain.rules import Rule
from governor.ports.rules import WrittenRule


class RuleReads:
    """`governor.ports.rules.RuleReads`."""

    _tables: Tables

    def rules(self, environment: str, *, archived: bool = False) -> tuple[Rule, ...]:
        """Each rule as it stands, oldest first; the archived ones only when asked for."""
        newest = {
            key[1]: written[0].rule for key, written in self._tables.rules.items() if key[0] == environment
        }
        return tuple(newest[name] for name in sorted(newest) if archived or not newest[name].archived)

    def rule_revisions(self, environment: str, rule_id: str) -> tuple[WrittenRule, ...]:
        """Every revision of a rule, newest first; none of a rule that there never was."""
        return self._tables.rules.get((environment, rule_id), ())


class RuleWrites(LimitReads, RuleReads):
    """`governor.ports.rules.RuleWrites`, and the limits that are read together with the rules."""

    here: Environment
    now: datetime

    def write_rule(self, rule: Rule, by: str) -> None:
        """A new revision of a rule, the first one included; it binds from now on."""
        key = self.here.name, rule.id
        written = WrittenRule(rule, by, self.now)
        self._tables.rules.put(key, (written, *self._tables.rules.get(key, ())))
        self._limits_changed()

    def _limits_changed(self) -> None:
        row = self._tables.environments[self.here.name]
        changed = replace(row.environment, limits_revision=row.environment.limits_revision + 1)
        self._tables.environments.put(self.here.name, replace(row, environment=changed))

    def active_limits(self) -> tuple[Limit, ...]:
        """What is charged: limits and tallies that are not archived."""
        return self.charged_limits(self.here.name)

    def active_rules(self) -> tuple[Rule, ...]:
        """The environment's rules that are not archived."""
        return self.rules(self.here.name)

    def refunded_customers(self, customers: Collection[str]) -> frozenset[str]:
        """Those of them who have had a refund: one of ours that succeeded, or one made elsewhere."""
        ours = waiting.requests_in(self._tables, self.here.name, State.SUCCEEDED)
        elsewhere = (
            one
            for (env, _), one in self._tables.external.items()
            if env == self.here.name and one.request is None and one.capacity is not Capacity.RELEASED
        )
        refunded = {one.customer for one in ours} | {one.customer for one in elsewhere}
        return frozenset(one for one in customers if one in refunded)
