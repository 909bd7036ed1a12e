"""Freezing: one person stops provider writes at once, two people let them go on (invariant 15).

Every path to the provider asks for itself: the claim and the gate in dispatch_refund, the replay in
recover_refund, the admission in admit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.credentials import Credential, Role
from governor.domain.errors import Conflict, NotFound
from governor.domain.freezes import Freeze, check_scope, refuse_program
from governor.domain.limits import Scope
from governor.domain.second_person import Word
from governor.domain.words import check_words
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, refuse_same_hand, rights, speaking
from governor.usecases.operations import asked_of, earlier, remember


@dataclass(frozen=True)
class FreezeDraft:
    """What to stop, or to let go on, and why. `value` is None for the whole environment."""

    scope: Scope
    value: str | None
    reason: str


@dataclass(frozen=True)
class FreezeRefunds:
    """Stop provider writes, and let them go on."""

    store: UnitOfWork
    ids: IdFactory

    def freeze(self, caller: Caller, draft: FreezeDraft, key: str) -> tuple[Freeze, bool]:
        """Nothing in this scope is written to the provider from this commit on; True when the key is a repeat.

        Freezing what is frozen takes back a proposal to let it go on: whoever says stop is heard.

        Raises:
            Invalid: the scope, its value or the reason. NotFound: `credential_not_found`. Forbidden: `role_not_allowed`.
        """
        check_scope(draft.scope, draft.value)
        check_words("/reason", draft.reason)
        with self.store.environment(caller.environment) as tx:
            word = _word(tx, rights(tx, caller, Role.OPERATOR), draft)
            known = _repeated(tx, caller, "freeze", draft, key)
            if known is not None:
                return known, True
            standing = _standing(tx, draft)
            freeze = standing.again() if standing else self._begin(tx, draft, word)
            if standing is not None:
                tx.save_freeze(freeze)
            action = "freeze.repeated" if standing else "freeze.began"
            tx.append_audit([caller.entry(action, freeze.id, _told(standing, freeze, word))])
            _remember(tx, caller, "freeze", draft, key, freeze)
            return freeze, False

    def _begin(self, tx: Transaction, draft: FreezeDraft, word: Word) -> Freeze:
        if draft.scope is Scope.CREDENTIAL and not tx.credential_chains(tx.here.name, [draft.value or ""]):
            raise NotFound("credential_not_found", "There is no such credential.")
        freeze = Freeze(self.ids.new("frz"), draft.scope, draft.value, word)
        tx.add_freeze(freeze)
        if freeze.scope is Scope.ENVIRONMENT:
            _switch(tx, word.reason)
        return freeze

    def unfreeze(self, caller: Caller, draft: FreezeDraft, key: str) -> tuple[Freeze, bool]:
        """The first person proposes, a second one ends the freeze and rings for what waits; True on a repeat.

        Raises:
            Conflict: `not_frozen`, `second_person_needed`.
            Forbidden: `role_not_allowed`, `unfreeze_needs_human`. Invalid: the scope, its value or the reason.
        """
        check_scope(draft.scope, draft.value)
        check_words("/reason", draft.reason)
        with self.store.environment(caller.environment) as tx:
            chain = rights(tx, caller, Role.OPERATOR)
            refuse_program(chain)
            word = _word(tx, chain, draft)
            known = _repeated(tx, caller, "unfreeze", draft, key)
            if known is not None:
                return known, True
            standing = _standing(tx, draft)
            if standing is None:
                raise Conflict("not_frozen", "Nothing is frozen there.")
            standing = heard(tx, tx.here.name, [standing], tx.now)[0]
            freeze = standing.unfrozen(word)
            if freeze.ended and standing.proposed:
                refuse_same_hand(tx, standing.proposed.credential, word.credential)
            tx.save_freeze(freeze)
            action = "freeze.ended" if freeze.ended else "freeze.end_proposed"
            tx.append_audit([caller.entry(action, freeze.id, _told(standing, freeze, word))])
            if freeze.ended:
                _let_go(tx, freeze)
            _remember(tx, caller, "unfreeze", draft, key, freeze)
            return freeze, False


def _word(tx: Transaction, chain: Sequence[Credential], draft: FreezeDraft) -> Word:
    return Word(chain[0].owner, chain[0].id, draft.reason, tx.now)


def _standing(tx: Transaction, draft: FreezeDraft) -> Freeze | None:
    there = (draft.scope, draft.value)
    return next((one for one in tx.freezes(tx.here.name) if (one.scope, one.value) == there), None)


def heard(reads: Reads, environment: str, freezes: Sequence[Freeze], now: datetime) -> tuple[Freeze, ...]:
    """These freezes without the proposals to end them whose key is dead by now."""
    speaks = speaking(reads, environment, {one.proposed.credential for one in freezes if one.proposed}, now)
    return tuple(
        one if one.proposed is None or one.proposed.credential in speaks else one.again() for one in freezes
    )


def _switch(tx: Transaction, reason: str | None) -> None:
    """The environment's own switch stands on its line, where every claim reads it under the lock."""
    tx.save_environment(replace(tx.here, frozen_reason=reason, revision=tx.here.revision + 1))


def _let_go(tx: Transaction, freeze: Freeze) -> None:
    if freeze.scope is Scope.ENVIRONMENT:
        _switch(tx, None)
    # One ring is enough: a worker drains whatever is due in the environment.
    tx.enqueue([(request.id, tx.now) for request in tx.due(at_most=1)])


def _told(before: Freeze | None, after: Freeze, word: Word) -> dict[str, str | None]:
    was = before.standing if before else "free"
    what = {"scope": after.scope.value, "value": after.value, "why": word.reason}
    return {**what, "from": was, "to": after.standing}


def _repeated(tx: Transaction, caller: Caller, verb: str, draft: FreezeDraft, key: str) -> Freeze | None:
    known = earlier(tx, f"{verb}:{caller.credential.id}", key, asked_of(draft))
    return None if known is None else tx.freeze(tx.here.name, known)


def _remember(
    tx: Transaction, caller: Caller, verb: str, draft: FreezeDraft, key: str, freeze: Freeze
) -> None:
    remember(tx, f"{verb}:{caller.credential.id}", key, asked_of(draft), freeze.id)
