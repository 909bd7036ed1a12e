"""Who may do what, in the database: credentials with their children and secrets, and what is written of freezes."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.freezes import ADD_FREEZE, SAVE_FREEZE, FreezeReads, freeze_values
from governor.domain.credentials import Credential, Hashes
from governor.domain.environments import Environment
from governor.domain.freezes import Freeze
from governor.domain.requests import RefundRequest

CREDENTIAL = text("SELECT to_jsonb(c) FROM credentials c WHERE id = :id")
CREDENTIALS = text("SELECT to_jsonb(c) FROM credentials c WHERE environment = :env ORDER BY id")
APPROVERS = text("""
    SELECT to_jsonb(c) FROM credentials c
    WHERE environment = :env AND role = 'approver' AND revoked_at IS NULL ORDER BY id""")
APPROVERS_OF = text("""
    SELECT to_jsonb(c) FROM credentials c
    WHERE environment = :env AND role = 'approver' AND revoked_at IS NULL AND owner = ANY(:owners) ORDER BY id""")
TREE = text("""
    WITH RECURSIVE tree AS (
        SELECT 0 AS depth, c.* FROM credentials c WHERE environment = :env AND id = :id
        UNION ALL
        SELECT t.depth + 1, c.* FROM tree t JOIN credentials c ON c.environment = :env AND c.parent = t.id
        WHERE t.depth < 20)
    SELECT to_jsonb(tree) FROM tree ORDER BY id""")
NOT_SENT = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state IN ('queued', 'pending_approval') AND :id = ANY(credentials)
    ORDER BY id LIMIT :at_most""")
ADD_CREDENTIAL = text("""
    INSERT INTO credentials (environment, id, name, role, kind, owner, agent, parent, secret_hash, created_at,
        expires_at, approve_up_to, known_to, person, suspended_at)
    VALUES (:env, :id, :name, :role, :kind, :owner, :agent, :parent, :secret_hash, :now, :expires_at,
        CAST(:approve_up_to AS jsonb), :known_to, :person, (SELECT disabled_at FROM people WHERE id = :person FOR SHARE))""")
"""A membership is born suspended when its person is disabled, however the two meet."""
REVOKE = text("""
    UPDATE credentials SET revoked_at = :now, revoked_reason = :reason WHERE environment = :env AND id = :id""")
ROTATE = text("""
    UPDATE credentials SET previous_hash = secret_hash, previous_until = :until, secret_hash = :secret_hash,
        rotated_at = :now, known_to = :known_to WHERE environment = :env AND id = :id""")


class PowerReads(FreezeReads):
    """What `governor.ports.reads.Reads` asks about credentials and freezes, on one connection."""

    def credential(self, credential_id: str) -> tuple[Credential, Hashes] | None:
        """A credential of any environment with the hashes of its secrets: the way in."""
        row = record(self._connection, CREDENTIAL, id=credential_id)
        return (rows.credential_from(row), Hashes(row["secret_hash"], row["previous_hash"])) if row else None

    def credentials(self, environment: str) -> tuple[Credential, ...]:
        """All credentials of an environment, oldest first."""
        return tuple(map(rows.credential_from, records(self._connection, CREDENTIALS, env=environment)))

    def approvers(self, environment: str, owners: Collection[str] | None = None) -> tuple[Credential, ...]:
        """The credentials of approvers that are not revoked, oldest first; with `owners`, of these people only."""
        if owners is None:
            found = records(self._connection, APPROVERS, env=environment)
        else:
            found = records(self._connection, APPROVERS_OF, env=environment, owners=sorted(owners))
        return tuple(map(rows.credential_from, found))

    def credential_tree(self, environment: str, credential_id: str) -> tuple[Credential, ...]:
        """A credential with everything below it, oldest first."""
        found = records(self._connection, TREE, env=environment, id=credential_id)
        return tuple(map(rows.credential_from, found))


class PowerWrites:
    """The part of `governor.ports.store.Transaction` that says who may do what."""

    _connection: Connection
    here: Environment
    now: datetime

    def add_credential(self, credential: Credential, secret_hash: str | None) -> None:
        """A new credential; only the hash of its secret is kept, and a membership has none."""
        values = vars(credential) | {"role": credential.role.value, "kind": credential.kind.value}
        names = ("id", "name", "role", "kind", "owner", "agent", "parent", "expires_at", "person")
        own = credential.approve_up_to
        self._run(
            ADD_CREDENTIAL,
            **{name: values[name] for name in names},
            approve_up_to=None if own is None else json.dumps(dict(own)),
            known_to=list(credential.known_to),
            secret_hash=secret_hash,
            now=self.now,
        )

    def revoke_credential(self, credential_id: str, reason: str | None) -> None:
        """From now on it opens nothing."""
        self._run(REVOKE, id=credential_id, reason=reason, now=self.now)

    def rotate_credential(
        self, credential_id: str, secret_hash: str, until: datetime, known_to: tuple[str, ...]
    ) -> None:
        """A new secret; the one it replaces opens until then, and the one before that no more."""
        asked = {"secret_hash": secret_hash, "until": until, "known_to": list(known_to)}
        self._run(ROTATE, id=credential_id, **asked, now=self.now)

    def not_sent_of(self, credential_id: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests of a credential and of everything below it that wait for people or for a worker."""
        asked = {"env": self.here.name, "id": credential_id, "at_most": at_most}
        return tuple(map(rows.request_from, records(self._connection, NOT_SENT, **asked)))

    def add_freeze(self, freeze: Freeze) -> None:
        """A freeze that stands from now on; one at most for each scope and value."""
        self._run(ADD_FREEZE, **freeze_values(freeze))

    def save_freeze(self, freeze: Freeze) -> None:
        """Who has proposed to end it, and who ended it."""
        self._run(SAVE_FREEZE, **freeze_values(freeze))

    def _run(self, statement: Any, **parameters: Any) -> None:  # noqa: ANN401  a TextClause and its bind values
        self._connection.execute(statement, {"env": self.here.name, **parameters})
