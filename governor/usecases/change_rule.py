"""Approval rules under change: write, revise, archive. Nothing is overwritten, and what waits is judged as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from governor.domain.credentials import Role
from governor.domain.errors import Conflict, NotFound, PreconditionFailed
from governor.domain.limits import Limit
from governor.domain.rules import MOST_RULES, Rule, same_count, tally_of
from governor.ports.reads import Reads
from governor.ports.rules import WrittenRule
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.count_exposure import count_exposure
from governor.usecases.operations import earlier, remember
from governor.usecases.rule_drafts import RuleDraft, draft_of


@dataclass(frozen=True)
class ChangeRule:
    """What operators do with rules; everybody else is refused with Forbidden `role_not_allowed`."""

    store: UnitOfWork
    ids: IdFactory

    def create(self, caller: Caller, draft: RuleDraft, key: str) -> tuple[Rule, bool]:
        """A new rule, whose sums count the exposure that already exists (invariant 12); True when replayed.

        Raises:
            Invalid: a field that means nothing. Conflict: `too_many_rules`.
        """
        draft.check()
        asked = draft.told()
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            known = earlier(tx, "rule", key, asked)
            if known is not None:
                return existing_rule(tx, tx.here.name, known), True
            if len(tx.rules(tx.here.name)) >= MOST_RULES:
                raise Conflict(
                    "too_many_rules", f"{MOST_RULES} rules are in force at most; archive one first."
                )
            rule = Rule(id=self.ids.new("rule"), revision=1, **vars(draft))
            written = self._write(tx, caller, "rule.created", None, rule)
            remember(tx, "rule", key, asked, rule.id)
            return written, False

    def update(self, caller: Caller, rule_id: str, draft: RuleDraft, revision: int) -> Rule:
        """The rule says something else from now on. What waits already waits for whom it was told to.

        Raises:
            NotFound; PreconditionFailed: `revision` is not the present one; Invalid.
        """
        draft.check()
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            rule = _current(tx, rule_id, revision)
            changed = Rule(id=rule.id, revision=revision + 1, **vars(draft))
            return self._write(tx, caller, "rule.changed", rule, changed)

    def archive(self, caller: Caller, rule_id: str, revision: int) -> Rule:
        """It is looked at no more; its history stays."""
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            rule = _current(tx, rule_id, revision)
            archived = replace(rule, archived=True, revision=revision + 1)
            return self._write(tx, caller, "rule.archived", rule, archived)

    def _write(self, tx: Transaction, caller: Caller, action: str, before: Rule | None, after: Rule) -> Rule:
        charged = tx.active_limits()
        if not after.archived:
            after = replace(after, tally=self._tally(tx, after, charged))
        tx.write_rule(after, caller.credential.id)
        if before is not None:
            _close_tally(tx, before.tally, charged)
        told = {"from": None if before is None else _standing(before), "to": _standing(after)}
        tx.append_audit([caller.entry(action, after.id, told)])
        return after

    def _tally(self, tx: Transaction, rule: Rule, charged: tuple[Limit, ...]) -> str | None:
        """What its sum is counted in: a tally that counts the same already, or a new one."""
        tally = tally_of(rule, self.ids.new("lim"))
        if tally is None:
            return None
        known = next((one.id for one in charged if same_count(one, tally)), None)
        if known is not None:
            return known
        tx.add_limit(tally)
        count_exposure(tx, tally)
        return tally.id


def existing_rule(reads: Reads, environment: str, rule_id: str) -> Rule:
    """A rule as it stands.

    Raises:
        NotFound: `rule_not_found`.
    """
    return history_of(reads, environment, rule_id)[0].rule


def history_of(reads: Reads, environment: str, rule_id: str) -> tuple[WrittenRule, ...]:
    """Every revision of a rule, newest first.

    Raises:
        NotFound: `rule_not_found`.
    """
    found = reads.rule_revisions(environment, rule_id)
    if not found:
        raise NotFound("rule_not_found", "There is no such rule.")
    return found


def _current(tx: Transaction, rule_id: str, revision: int) -> Rule:
    rule = existing_rule(tx, tx.here.name, rule_id)
    if rule.archived:
        raise NotFound("rule_not_found", "The rule is archived.")
    if rule.revision != revision:
        raise PreconditionFailed("revision_stale", "Somebody changed the rule.", {"revision": rule.revision})
    return rule


def _close_tally(tx: Transaction, tally: str | None, charged: tuple[Limit, ...]) -> None:
    """A sum that no rule reads any more is not counted any more; what it holds still settles."""
    if tally is None or any(rule.tally == tally for rule in tx.rules(tx.here.name)):
        return
    closing = next(one for one in charged if one.id == tally)
    tx.save_limit(replace(closing, archived=True, revision=closing.revision + 1))


def _standing(rule: Rule) -> dict[str, Any]:
    """A rule as it stands at one revision, for the audit trail."""
    return {**draft_of(rule).told(), "revision": rule.revision, "archived": rule.archived}
