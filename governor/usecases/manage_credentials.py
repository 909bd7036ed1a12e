"""Keys: make one (its secret is shown once), make a narrower one, replace its secret, revoke it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from governor.domain.credentials import Credential, Role, alive, hands, render_key, secret_hash
from governor.domain.delegation import answers_for, descends, may_rotate, narrowed, refuse_wider
from governor.domain.errors import Conflict, Forbidden, NotFound, invalid
from governor.domain.limits import Limit
from governor.domain.words import check_words
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import HOST, Caller, host, rights
from governor.usecases.change_limit import checked
from governor.usecases.credential_drafts import LONGEST_OVERLAP, CredentialDraft, root
from governor.usecases.delegation_room import make_room
from governor.usecases.limit_series import begin
from governor.usecases.operations import asked_of, earlier, remember
from governor.usecases.release_dead import release_all_of

Made = tuple[Credential, str | None, bool]
"""A credential, its key (None when replayed: it was shown once), and whether it was replayed."""


@dataclass(frozen=True)
class ManageCredentials:
    """What operators do with keys, and agents with what they delegate.

    `found` is the way in for the first key of an environment.
    """

    store: UnitOfWork
    ids: IdFactory
    pepper: bytes

    def create(self, caller: Caller, draft: CredentialDraft, key: str) -> Made:
        """A new key; one that an agent makes is its child and can do no more than itself.

        Raises:
            Invalid: a field that is unfit. Forbidden: `role_not_allowed`, `wider_than_parent`,
            `credential_superseded`. Conflict: `delegation_too_deep`, `too_many_children`.
        """
        asked, scope = asked_of(draft), f"credential:{caller.credential.id}"
        with self.store.environment(caller.environment) as tx:
            chain = _rights(tx, caller)
            known = earlier(tx, scope, key, asked)
            if known is not None:
                return _existing(tx, known)[0], None, True
            credential, rendered = self._add(tx, draft, chain, by=caller)
            remember(tx, scope, key, asked, credential.id)
            return credential, rendered, False

    def found(self, environment: str, draft: CredentialDraft) -> tuple[Credential, str]:
        """A key made by whoever operates the host; the audit trail says so."""
        by = host(environment)
        with self.store.environment(environment) as tx:
            return self._add(tx, draft, by.chain, by=by)

    def _add(
        self, tx: Transaction, draft: CredentialDraft, chain: Sequence[Credential], by: Caller
    ) -> tuple[Credential, str]:
        draft.check_life(tx.now)
        credential_id = self.ids.new("cred")
        if chain[0].role is Role.AGENT:
            child = draft.child()
            refuse_wider(chain, child)
            make_room(tx, by, chain, self.ids)
            credential = narrowed(chain, child, credential_id, tx.now)
        else:
            credential = root(tx.here.name, draft, credential_id, tx.now)
            credential = replace(credential, known_to=_shown_to(credential, chain))
        secret = self.ids.secret()
        tx.add_credential(credential, secret_hash(secret, self.pepper))
        told = {"from": None, "to": told_of(credential)}
        tx.append_audit([by.entry("credential.created", credential.id, told)])
        self._cap(tx, draft, credential, by)
        return credential, render_key(credential.id, secret)

    def _cap(self, tx: Transaction, draft: CredentialDraft, credential: Credential, by: Caller) -> None:
        """Limits of its own. Nothing is spent yet, so there is no exposure to count."""
        for cap in draft.caps:
            named = checked(replace(cap, value=credential.id))
            limit = Limit(id=self.ids.new("lim"), revision=1, archived=False, **vars(named))
            begin(tx, by, limit, self.ids.new("chg"), "a cap of its own")

    def rotate(self, caller: Caller, credential_id: str, overlap: timedelta, key: str) -> Made:
        """A new secret. The old one opens for `overlap` more, and changes no keys meanwhile.

        Raises:
            NotFound: `credential_not_found`. Conflict: `credential_keyless`, `credential_dead`. Invalid:
            `/overlap_seconds`.
            Forbidden: `credential_not_yours`, `credential_superseded`.
        """
        if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
            raise invalid("/overlap_seconds", "overlap_out_of_range", "An overlap lasts a week at most.")
        asked = {"rotate": credential_id, "overlap_seconds": int(overlap.total_seconds())}
        scope = f"rotation:{caller.credential.id}"
        with self.store.environment(caller.environment) as tx:
            chain = _rights(tx, caller, *Role)
            target = _known_to(tx, chain, credential_id)
            if earlier(tx, scope, key, asked) is not None:
                return target[0], None, True
            if chain[0].id != HOST and not may_rotate(chain[0], target):
                raise Forbidden("credential_not_yours", "Its secret is for somebody else to know.")
            if target[0].person is not None:
                raise Conflict("credential_keyless", "A person comes with a session; no key opens this.")
            if not alive(target, tx.now):
                raise Conflict("credential_dead", "It has ended; make another one.")
            secret, until = self.ids.secret(), tx.now + overlap
            seen = _shown_to(target[0], chain)
            tx.rotate_credential(credential_id, secret_hash(secret, self.pepper), until, seen)
            told = {
                "from": {"rotated_at": _spelled(target[0].rotated_at)},
                "to": {"previous_until": _spelled(until)},
            }
            tx.append_audit([caller.entry("credential.rotated", credential_id, told)])
            remember(tx, scope, key, asked, credential_id)
            return _existing(tx, credential_id)[0], render_key(credential_id, secret), False

    def revoke(self, caller: Caller, credential_id: str, reason: str | None = None) -> Credential:
        """From its commit on the key and all below it open nothing; what they asked for and is not sent is canceled.

        Raises:
            NotFound: `credential_not_found`.
        """
        if reason is not None:
            check_words("/reason", reason)
        with self.store.environment(caller.environment) as tx:
            chain = rights(tx, caller, Role.OPERATOR, Role.AGENT)
            target = _known_to(tx, chain, credential_id)
            if target[0].revoked_at is None:
                tx.revoke_credential(credential_id, reason)
                canceled = release_all_of(tx, credential_id)
                told = {
                    "from": {"revoked_at": None},
                    "to": {"revoked_at": tx.now.isoformat(), "canceled": canceled},
                    "why": reason,
                }
                tx.append_audit([caller.entry("credential.revoked", credential_id, told)])
            return _existing(tx, credential_id)[0]


def _rights(tx: Transaction, caller: Caller, *roles: Role) -> tuple[Credential, ...]:
    """The caller's chain, for whoever may make keys or replace them.

    Raises:
        Forbidden: `credential_superseded`: a secret that was replaced must not get itself another one.
    """
    chain = rights(tx, caller, *(roles or (Role.OPERATOR, Role.AGENT)))
    # Its secret may have been replaced while this call waited for its turn.
    if caller.superseded or chain[0].rotated_at != caller.credential.rotated_at:
        raise Forbidden("credential_superseded", "This secret was replaced; come with the new one.")
    return chain


def _shown_to(credential: Credential, chain: Sequence[Credential]) -> tuple[str, ...]:
    """Who has seen a secret of it, now that whoever comes with `chain` is shown one."""
    shown = frozenset() if chain[0].id == HOST else hands(chain)
    return tuple(sorted({*credential.known_to, *shown} - {credential.owner}))


def _known_to(tx: Transaction, chain: Sequence[Credential], credential_id: str) -> tuple[Credential, ...]:
    """A credential with its ancestors, if the caller may know of it.

    Operators know of all, others of their own and those below, and people of the keys they answer for.

    Raises:
        NotFound: `credential_not_found`.
    """
    target = _existing(tx, credential_id)
    mine = credential_id == chain[0].id or descends(target, chain[0].id)
    if not (mine or answers_for(chain[0], target[0])) and chain[0].role is not Role.OPERATOR:
        raise NotFound("credential_not_found", "There is no such credential.")
    return target


def _existing(tx: Transaction, credential_id: str) -> tuple[Credential, ...]:
    chain = tx.credential_chains(tx.here.name, [credential_id]).get(credential_id)
    if chain is None:
        raise NotFound("credential_not_found", "There is no such credential.")
    return chain


def _spelled(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def told_of(credential: Credential) -> dict[str, Any]:
    """What a credential is for, for the audit trail."""
    own = credential.approve_up_to
    return {
        "role": credential.role.value,
        "kind": credential.kind.value,
        "agent": credential.agent,
        "owner": credential.owner,
        "parent": credential.parent,
        "expires_at": _spelled(credential.expires_at),
        "approve_up_to": None if own is None else dict(own),
    }
