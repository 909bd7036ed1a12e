"""The second person's word about a limit, and taking back what was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Conflict, Forbidden, NotFound
from governor.domain.limit_changes import (
    LimitChange,
    allows_more,
    may_be_withdrawn,
    overtaken,
    refuse_crowd,
    standings,
)
from governor.domain.limits import Limit
from governor.domain.second_person import Word, refuse_same_person
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller, refuse_same_hand, rights, speaking
from governor.usecases.limit_series import archived, existing, told, unarchived, word, write
from governor.usecases.operations import earlier, remember


@dataclass(frozen=True)
class ConfirmLimitChange:
    """What becomes of a change that somebody has said."""

    store: UnitOfWork

    def confirm(
        self, caller: Caller, limit_id: str, change_id: str, reason: str, key: str
    ) -> tuple[Limit, bool]:
        """Another person says the same: it counts from now on, or from its own time. True on a repeat.

        Raises:
            NotFound: `limit_not_found`, `limit_change_not_found`. Invalid: `/reason`.
            Conflict: `limit_change_not_pending`, `limit_change_overtaken`, `proposal_void`, `second_person_needed`,
                `too_many_changes`.
            Forbidden: `role_not_allowed`, `raise_needs_human`.
        """
        return self._said("confirm", _confirm, (caller, limit_id, change_id, reason, key))

    def withdraw(
        self, caller: Caller, limit_id: str, change_id: str, reason: str, key: str
    ) -> tuple[Limit, bool]:
        """One person takes back a proposal, what is to come, or ends before its time what is for a time. True on a repeat.

        Raises:
            NotFound: `limit_not_found`, `limit_change_not_found`. Invalid: `/reason`.
            Conflict: `limit_change_not_pending`; `withdrawal_raises`, where raises need two.
            Forbidden: `role_not_allowed`.
        """
        return self._said("withdraw", _withdraw, (caller, limit_id, change_id, reason, key))

    def _said(
        self,
        verb: str,
        deed: Callable[[Transaction, Caller, Limit, LimitChange, Word], None],
        asked: tuple[Caller, str, str, str, str],
    ) -> tuple[Limit, bool]:
        caller, limit_id, change_id, reason, key = asked
        scope = f"limit_change_{verb}:{caller.credential.id}"
        facts = {"limit": limit_id, "change": change_id, "reason": reason}
        with self.store.environment(caller.environment) as tx:
            chain = rights(tx, caller, Role.OPERATOR)
            if earlier(tx, scope, key, facts) is not None:
                return existing(tx, limit_id), True
            if verb == "confirm":
                _refuse_program(chain)
            limit = unarchived(tx, limit_id)
            change = next(
                (one for one in tx.limit_changes(tx.here.name, limit_id) if one.id == change_id), None
            )
            if change is None:
                raise NotFound("limit_change_not_found", "The limit has no such change.")
            deed(tx, caller, limit, change, word(tx, caller, reason))
            remember(tx, scope, key, facts, change_id)
            return existing(tx, limit_id), False


def _refuse_program(chain: Sequence[Credential]) -> None:
    if chain[0].kind is not Kind.HUMAN:
        raise Forbidden("raise_needs_human", "Only people confirm that more is allowed.")


def _confirm(tx: Transaction, caller: Caller, limit: Limit, change: LimitChange, said: Word) -> None:
    if not change.waits:
        raise _not_pending("It waits for nobody's word.")
    if not speaking(tx, tx.here.name, {change.proposed.credential}, tx.now):
        raise Conflict("proposal_void", "Whoever has proposed it has lost that key since; propose it anew.")
    refuse_same_person(change.proposed, said.person)
    refuse_same_hand(tx, change.proposed.credential, said.credential)
    if overtaken(change, tx.limit_changes(tx.here.name, limit.id)):
        raise Conflict("limit_change_overtaken", "The limit was changed since it was proposed; look anew.")
    if change.until is not None and change.until <= tx.now:
        raise _not_pending("Its time is over.")
    begins = max(change.effective_at, tx.now)
    decided = replace(change, confirmed=said, decided_at=tx.now, effective_at=begins)
    refuse_crowd(limit.steps, decided, tx.now)
    tx.save_limit_change(decided)
    checkpoint("limit.confirmed")
    facts = told(limit, decided) | {"first": {"person": change.proposed.person}, "why": said.reason}
    if change.archives:
        archived(tx, caller, limit, facts)
        return
    write(tx, replace(limit, revision=limit.revision + 1))
    tx.append_audit([caller.entry("limit.changed", limit.id, facts)])


def _withdraw(tx: Transaction, caller: Caller, limit: Limit, change: LimitChange, said: Word) -> None:
    where = standings(tx.limit_changes(tx.here.name, limit.id), tx.now)[change.id]
    if not may_be_withdrawn(change, where, tx.now):
        raise _not_pending("What counts already for good is changed, not withdrawn; what is over is over.")
    if change.counts and tx.here.raises_need_two:
        without = tuple(step for step in limit.steps if step.change != change.id)
        if allows_more(without, limit.steps, tx.now):
            raise Conflict("withdrawal_raises", "More would be allowed without it: say so with a change.")
    tx.save_limit_change(replace(change, withdrawn=said))
    write(tx, replace(limit, revision=limit.revision + 1))
    facts = told(limit, change) | {"to": {"change": change.id, "standing": "withdrawn"}, "why": said.reason}
    tx.append_audit([caller.entry("limit.change_withdrawn", limit.id, facts)])


def _not_pending(detail: str) -> Conflict:
    return Conflict("limit_change_not_pending", detail)
