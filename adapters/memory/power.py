"""Who may do what, in memory: credentials with their children and secrets, and freezes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime

from adapters.memory import waiting
from adapters.memory.tables import Tables
from governor.domain.credentials import Credential, Hashes, Role
from governor.domain.environments import Environment
from governor.domain.freezes import Freeze
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.domain.stand_ins import StandIn

_MOST_ANCESTORS = 20


class PowerReads:
    """What `governor.ports.reads.Reads` asks about credentials and freezes."""

    _tables: Tables

    def credential(self, credential_id: str) -> tuple[Credential, Hashes] | None:
        """A credential of any environment with the hashes of its secrets: the way in."""
        return self._tables.credentials.get(credential_id)

    def credentials(self, environment: str) -> tuple[Credential, ...]:
        """All credentials of an environment, oldest first."""
        found = (one for one, _ in self._tables.credentials.values() if one.environment == environment)
        return tuple(sorted(found, key=lambda one: one.id))

    def approvers(self, environment: str, owners: Collection[str] | None = None) -> tuple[Credential, ...]:
        """The credentials of approvers that are not revoked, oldest first; with `owners`, of these people only."""
        found = (
            one for one in self.credentials(environment) if one.role is Role.APPROVER and not one.revoked_at
        )
        return tuple(one for one in found if owners is None or one.owner in owners)

    def credential_chains(self, environment: str, ids: Collection[str]) -> dict[str, tuple[Credential, ...]]:
        """Per credential: itself and its ancestors, itself first."""
        chains = {one: tuple(self._chain(environment, one)) for one in ids}
        return {one: chain for one, chain in chains.items() if chain}

    def _chain(self, environment: str, credential_id: str | None) -> Iterator[Credential]:
        for _ in range(_MOST_ANCESTORS + 1):
            found = self._tables.credentials.get(credential_id or "")
            if found is None or found[0].environment != environment:
                return
            yield found[0]
            credential_id = found[0].parent

    def credential_tree(self, environment: str, credential_id: str) -> tuple[Credential, ...]:
        """A credential with everything below it, oldest first."""
        mine = self.credentials(environment)
        chains = self.credential_chains(environment, [one.id for one in mine])
        return tuple(one for one in mine if credential_id in {above.id for above in chains[one.id]})

    def stand_ins(self, environment: str, now: datetime) -> tuple[StandIn, ...]:  # noqa: ARG002  the port's arguments
        """None: nothing that lives in memory names any."""
        return ()

    def freezes(self, environment: str) -> tuple[Freeze, ...]:
        """The freezes that stand, oldest first."""
        return waiting.standing_freezes(self._tables, environment)

    def freeze(self, environment: str, freeze_id: str) -> Freeze | None:
        """One freeze, whether it stands or has ended."""
        return self._tables.freezes.get((environment, freeze_id))


class PowerWrites:
    """The part of `governor.ports.store.Transaction` that says who may do what."""

    _tables: Tables
    here: Environment
    now: datetime

    def add_credential(self, credential: Credential, secret_hash: str | None) -> None:
        """A new credential; only the hash of its secret is kept, and a membership has none."""
        mine = replace(credential, environment=self.here.name, created_at=self.now, revoked_at=None)
        self._tables.credentials.add(mine.id, (mine, Hashes(secret_hash, None)))

    def revoke_credential(self, credential_id: str, reason: str | None) -> None:
        """From now on it opens nothing."""
        credential, hashes = self._tables.credentials[credential_id]
        revoked = replace(credential, revoked_at=self.now, revoked_reason=reason)
        self._tables.credentials.put(credential_id, (revoked, hashes))

    def rotate_credential(
        self, credential_id: str, secret_hash: str, until: datetime, known_to: tuple[str, ...]
    ) -> None:
        """A new secret; the one it replaces opens until then, and the one before that no more."""
        credential, hashes = self._tables.credentials[credential_id]
        rotated = replace(credential, rotated_at=self.now, previous_until=until, known_to=known_to)
        self._tables.credentials.put(credential_id, (rotated, Hashes(secret_hash, hashes.current)))

    def not_sent_of(self, credential_id: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests of a credential and of everything below it that wait for people or for a worker."""
        unsent = waiting.requests_in(self._tables, self.here.name, State.QUEUED, State.PENDING_APPROVAL)
        theirs = (one for one in unsent if credential_id in one.credentials)
        return tuple(sorted(theirs, key=lambda one: one.id)[:at_most])

    def add_freeze(self, freeze: Freeze) -> None:
        """A freeze that stands from now on."""
        self._tables.freezes.add((self.here.name, freeze.id), freeze)

    def save_freeze(self, freeze: Freeze) -> None:
        """Who has proposed to end it, and who ended it."""
        self._tables.freezes.put((self.here.name, freeze.id), freeze)
