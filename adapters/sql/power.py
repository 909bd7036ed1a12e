"""What a transaction writes about who may do what: credentials and freezes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql.freezes import ADD_FREEZE, SAVE_FREEZE, freeze_values
from governor.domain.credentials import Credential
from governor.domain.environments import Environment
from governor.domain.freezes import Freeze

ADD_CREDENTIAL = text("""
    INSERT INTO credentials (environment, id, name, role, kind, owner, agent, parent, secret_hash, created_at,
        expires_at) VALUES (:env, :id, :name, :role, :kind, :owner, :agent, :parent, :secret_hash, :now, :expires_at)""")
REVOKE = text("UPDATE credentials SET revoked_at = :at WHERE environment = :env AND id = :id")


class PowerWrites:
    """The part of `governor.ports.store.Transaction` that says who may do what."""

    _connection: Connection
    here: Environment
    now: datetime

    def add_credential(self, credential: Credential, secret_hash: str) -> None:
        """A new credential; only the hash of its secret is kept."""
        values = vars(credential) | {"role": credential.role.value, "kind": credential.kind.value}
        del values["environment"], values["created_at"], values["revoked_at"]
        self._run(ADD_CREDENTIAL, **values, secret_hash=secret_hash, now=self.now)

    def revoke_credential(self, credential_id: str) -> None:
        """From now on it opens nothing."""
        self._run(REVOKE, id=credential_id, at=self.now)

    def add_freeze(self, freeze: Freeze) -> None:
        """A freeze that stands from now on; one at most for each scope and value."""
        self._run(ADD_FREEZE, **freeze_values(freeze))

    def save_freeze(self, freeze: Freeze) -> None:
        """Who has proposed to end it, and who ended it."""
        self._run(SAVE_FREEZE, **freeze_values(freeze))

    def _run(self, statement: Any, **parameters: Any) -> None:  # noqa: ANN401  a TextClause and its bind values
        self._connection.execute(statement, {"env": self.here.name, **parameters})
