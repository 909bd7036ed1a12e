"""Looking at approval rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.domain.quorum import Reach, reach
from governor.domain.rule_health import RuleHealth, health_of
from governor.domain.rules import Consequence, Rule, RuleMode
from governor.ports.past import Past
from governor.ports.rules import WrittenRule
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.change_rule import existing_rule, history_of

HEALTH_DAYS = timedelta(days=30)
MOST_LOOKED_AT = 10_000
"""How rules do is told by the newest requests, at most so many: a look costs the same however long the past is."""
OF_LATE = 2000
"""So many of the newest requests show a habit."""


@dataclass(frozen=True)
class ReadRules:
    """The rules of the caller's environment, and what became of them."""

    store: UnitOfWork
    past: Past

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

    def health(self, caller: Caller, rule_id: str) -> RuleHealth:
        """How one rule did in the last 30 days, by the newest requests.

        Raises:
            NotFound: `rule_not_found`.
        """
        rule = self.one(caller, rule_id)
        since = self.store.now() - HEALTH_DAYS
        read = self.past.hits(caller.environment, since, at_most=MOST_LOOKED_AT, rule=rule.id)
        return health_of(rule.id, read.since, read.looked_at, read.hits)

    def health_of_all(self, caller: Caller, *, at_most: int = MOST_LOOKED_AT) -> tuple[RuleHealth, ...]:
        """How each rule in force did in the last 30 days, oldest first, in one look at the newest `at_most` requests."""
        since = self.store.now() - HEALTH_DAYS
        read = self.past.hits(caller.environment, since, at_most=at_most)
        return tuple(health_of(one.id, read.since, read.looked_at, read.hits) for one in self.all(caller))

    def habits(self, caller: Caller) -> tuple[RuleHealth, ...]:
        """The rules whose holds people approve without exception of late: a short look, for a page that says only this."""
        of_late = self.health_of_all(caller, at_most=OF_LATE)
        return tuple(one for one in of_late if one.always_approved)

    def reach(self, caller: Caller, then: Consequence) -> Reach:
        """Whether the people whom this asks are there. An approver may be bound to small amounts: that is not looked at."""
        return reach(then.quorum, then.approvers, self._approvers(caller))

    def out_of_reach(self, caller: Caller) -> tuple[tuple[Rule, Reach], ...]:
        """The rules that act and ask for more people than there are: nobody can approve what they hold."""
        may = self._approvers(caller)
        found = [(one, reach(one.then.quorum, one.then.approvers, may)) for one in self.all(caller)]
        return tuple((one, at) for one, at in found if at.falls_short and one.mode is RuleMode.ENFORCE)

    def _approvers(self, caller: Caller) -> frozenset[str]:
        now = self.store.now()
        with self.store.reading() as reads:
            return frozenset(one.owner for one in reads.approvers(caller.environment) if one.live_at(now))
