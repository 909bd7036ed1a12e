"""Rules in the database: one row for each revision, never changed. Few, written by hand, read when one has changed."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.limits import LIMITS_CHANGED, LimitReads
from governor.domain.environments import Environment
from governor.domain.limits import Limit, next_turn
from governor.domain.rule_form import then_form, then_from, when_form, when_from
from governor.domain.rules import Rule, RuleMode
from governor.ports.rules import WrittenRule

RULES = text("""
    SELECT to_jsonb(r) FROM (SELECT DISTINCT ON (id) * FROM rules WHERE environment = :env
        ORDER BY id, revision DESC) r WHERE :archived OR NOT archived ORDER BY id""")
REVISIONS = text(
    "SELECT to_jsonb(r) FROM rules r WHERE environment = :env AND id = :id ORDER BY revision DESC"
)
WRITE_RULE = text("""
    INSERT INTO rules SELECT * FROM jsonb_populate_record(NULL::rules, CAST(:row AS jsonb))""")
REFUNDED = text("""
    SELECT to_jsonb(c.customer) FROM unnest(CAST(:customers AS text[])) AS c(customer)
    WHERE EXISTS (SELECT 1 FROM refund_requests r WHERE r.environment = :env AND r.customer = c.customer
        AND r.state = 'succeeded' OFFSET 0)
    OR EXISTS (SELECT 1 FROM external_refunds x WHERE x.environment = :env AND x.customer = c.customer
        AND x.request IS NULL AND x.capacity <> 'released' OFFSET 0)""")


@dataclass(frozen=True)
class Policy:
    """What one `limits_revision` means from `since` on, before `until` (UTC; None: for good), when a cap turns by itself."""

    revision: int
    since: datetime
    until: datetime | None
    limits: tuple[Limit, ...]
    rules: tuple[Rule, ...]

    def holds(self, revision: int, now: datetime) -> bool:
        """Whether it is still what counts."""
        return self.revision == revision and self.since <= now and (self.until is None or now < self.until)


PolicySeen = dict[str, Policy]
"""Per environment what was read last. True under the line, which every change takes."""


class RuleReads:
    """`governor.ports.rules.RuleReads` on one connection."""

    _connection: Connection

    def rules(self, environment: str, *, archived: bool = False) -> tuple[Rule, ...]:
        """Each rule as it stands, oldest first; the archived ones only when asked for."""
        return tuple(map(_rule_from, records(self._connection, RULES, env=environment, archived=archived)))

    def rule_revisions(self, environment: str, rule_id: str) -> tuple[WrittenRule, ...]:
        """Every revision of a rule, newest first; none of a rule that there never was."""
        found = records(self._connection, REVISIONS, env=environment, id=rule_id)
        return tuple(
            WrittenRule(_rule_from(row), row["written_by"], rows.instant(row["written_at"])) for row in found
        )


class RuleWrites(LimitReads, RuleReads):
    """`governor.ports.rules.RuleWrites`, and the limits that are read together with the rules."""

    _policy_seen: PolicySeen
    here: Environment
    now: datetime

    def write_rule(self, rule: Rule, by: str) -> None:
        """A new revision of a rule, the first one included; it binds from now on."""
        row = json.dumps(
            _row(rule) | {"environment": self.here.name, "written_by": by, "written_at": self.now.isoformat()}
        )
        self._connection.execute(WRITE_RULE, {"row": row})
        self._connection.execute(LIMITS_CHANGED, {"env": self.here.name})

    def active_limits(self) -> tuple[Limit, ...]:
        """What is charged: limits and tallies that are not archived; read anew only when what they allow has changed."""
        return self._in_force().limits

    def active_rules(self) -> tuple[Rule, ...]:
        """The environment's rules that are not archived; read anew only when one, or a limit, has changed."""
        return self._in_force().rules

    def _in_force(self) -> Policy:
        name, revision = self.here.name, self.here.limits_revision
        seen = self._policy_seen.get(name)
        if seen is None or not seen.holds(revision, self.now):
            limits = self.charged_limits(name)
            turn = next_turn((step for limit in limits for step in limit.steps), self.now)
            seen = self._policy_seen[name] = Policy(revision, self.now, turn, limits, self.rules(name))
        return seen

    def refunded_customers(self, customers: Collection[str]) -> frozenset[str]:
        """Those of them who have had a refund: one of ours that succeeded, or one made elsewhere."""
        asked = {"env": self.here.name, "customers": sorted(customers)}
        return frozenset(self._connection.execute(REFUNDED, asked).scalars())


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "revision": rule.revision,
        "name": rule.name,
        "mode": rule.mode.value,
        "starts_at": rows.spelled(rule.starts_at),
        "when": when_form(rule.when),
        "then": then_form(rule.then),
        "tally": rule.tally,
        "archived": rule.archived,
    }


def _rule_from(row: rows.Row) -> Rule:
    return Rule(
        id=row["id"],
        revision=row["revision"],
        name=row["name"],
        mode=RuleMode(row["mode"]),
        starts_at=rows.moment(row["starts_at"]),
        when=when_from(row["when"]),
        then=then_from(row["then"]),
        tally=row["tally"],
        archived=row["archived"],
    )
