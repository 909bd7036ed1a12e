"""Keys: create one (its secret is shown once), revoke one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from governor.domain.credentials import Credential, Kind, Role, render_key, secret_hash
from governor.domain.errors import NotFound, invalid
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, host
from governor.usecases.operations import earlier, remember

LONGEST_LIFE = timedelta(days=3660)


@dataclass(frozen=True)
class CredentialDraft:
    """A key to be made. `owner` is the person who answers for it; `agent` defaults to its name."""

    name: str
    role: Role
    kind: Kind
    owner: str
    agent: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True)
class ManageCredentials:
    """What operators do with keys; `found` is the way in for the first key of an environment."""

    store: UnitOfWork
    ids: IdFactory
    pepper: bytes

    def create(self, caller: Caller, draft: CredentialDraft, key: str) -> tuple[Credential, str | None, bool]:
        """The credential, its key (None when replayed: it was shown once), and whether it was replayed."""
        asked = {name: str(value) for name, value in vars(draft).items()}
        with self.store.environment(caller.environment) as tx:
            known = earlier(tx, "credential", key, asked)
            if known is not None:
                return _existing(tx, known), None, True
            credential, rendered = self._add(tx, draft, by=caller)
            remember(tx, "credential", key, asked, credential.id)
            return credential, rendered, False

    def found(self, environment: str, draft: CredentialDraft) -> tuple[Credential, str]:
        """A key made by whoever operates the host; the audit trail says so."""
        with self.store.environment(environment) as tx:
            return self._add(tx, draft, by=host(environment))

    def _add(self, tx: Transaction, draft: CredentialDraft, by: Caller) -> tuple[Credential, str]:
        if draft.expires_at is not None and not tx.now < draft.expires_at <= tx.now + LONGEST_LIFE:
            raise invalid(
                "/expires_at", "expiry_out_of_range", "A key expires in the future, within ten years."
            )
        credential = Credential(
            id=self.ids.new("cred"),
            environment=tx.here.name,
            name=draft.name,
            role=draft.role,
            kind=draft.kind,
            owner=draft.owner,
            agent=draft.agent or draft.name,
            parent=None,
            created_at=tx.now,
            expires_at=draft.expires_at,
            revoked_at=None,
        )
        secret = self.ids.secret()
        tx.add_credential(credential, secret_hash(secret, self.pepper))
        tx.append_audit(
            [by.entry("credential.created", credential.id, {"from": None, "to": _told(credential)})]
        )
        return credential, render_key(credential.id, secret)

    def revoke(self, caller: Caller, credential_id: str) -> Credential:
        """From its commit on the key opens nothing, and what it queued is not sent."""
        with self.store.environment(caller.environment) as tx:
            credential = _existing(tx, credential_id)
            if credential.revoked_at is None:
                tx.revoke_credential(credential_id)
                told = {"from": {"revoked_at": None}, "to": {"revoked_at": tx.now.isoformat()}}
                tx.append_audit([caller.entry("credential.revoked", credential_id, told)])
            return _existing(tx, credential_id)


def _existing(tx: Transaction, credential_id: str) -> Credential:
    found = tx.credential(credential_id)
    if found is None or found[0].environment != tx.here.name:
        raise NotFound("credential_not_found", "There is no such credential.")
    return found[0]


def _told(credential: Credential) -> dict[str, Any]:
    """What a key is for, for the audit trail."""
    return {
        "role": credential.role.value,
        "kind": credential.kind.value,
        "agent": credential.agent,
        "owner": credential.owner,
        "parent": credential.parent,
        "expires_at": credential.expires_at.isoformat() if credential.expires_at else None,
    }
