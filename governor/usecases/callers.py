"""Who calls: a key becomes a caller, with everybody the caller acts for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.audit import Entry
from governor.domain.credentials import Credential, Hashes, Kind, Role, alive, read_key, secret_matches
from governor.domain.duties import refuse_one_hand
from governor.domain.errors import Forbidden, Unauthenticated
from governor.domain.windows import BEGINNING
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork


@dataclass(frozen=True)
class Caller:
    """A live credential and its ancestors, itself first.

    `request_id` names the call that it came with on a surface that names its calls; `address` is where that came from,
    by the word of a trusted proxy if one stands between.
    """

    credential: Credential
    chain: tuple[Credential, ...]
    request_id: str | None = None
    superseded: bool = False
    """Whether it came with the secret before the last rotation, which only works for a while."""
    confirmed: bool = False
    """Whether the person at an open browser has proved in the last minutes who they are."""
    address: str | None = None

    @property
    def environment(self) -> str:
        """The only environment this caller can see or touch."""
        return self.credential.environment

    @property
    def role(self) -> Role:
        """What the credential is for."""
        return self.credential.role

    def entry(self, action: str, object_id: str, facts: Mapping[str, Any]) -> Entry:
        """What this caller does, for the audit trail: by which credential, for which person, in which call, from where."""
        known = {"person": self.credential.owner, "request_id": self.request_id, "address": self.address}
        return Entry(self.credential.id, action, object_id, {**facts, **known})


HOST = "host"
"""How the audit trail names whoever operates the machine and so needs no key to change the database."""


def host(environment: str) -> Caller:
    """Whoever operates the host, acting as an operator of one environment. No key opens this credential."""
    credential = Credential(
        id=HOST,
        environment=environment,
        name=HOST,
        role=Role.OPERATOR,
        kind=Kind.HUMAN,
        owner=HOST,
        agent=HOST,
        parent=None,
        created_at=BEGINNING,
        expires_at=None,
        revoked_at=None,
    )
    return Caller(credential, (credential,))


_NOBODY = "0" * 64
"""Compared with when the id is unknown or nobody's key, so that the answer takes the same time (RELIABILITY §5.2 T8)."""


@dataclass(frozen=True)
class Authenticate:
    """Turn a presented key into a caller."""

    store: UnitOfWork
    pepper: bytes

    def __call__(self, key: str, request_id: str | None = None) -> Caller:
        """The caller behind the key, with the name of the call it came with.

        Raises:
            Unauthenticated: `credential_invalid` for an unknown, wrong, expired or revoked key, or one
                whose ancestor is; always the same words.
        """
        credential_id, secret = read_key(key)
        with self.store.reading() as reads:
            found = reads.credential(credential_id)
            hashes = found[1] if found else Hashes(_NOBODY)
            current = secret_matches(secret, hashes.current or _NOBODY, self.pepper)
            superseded = secret_matches(secret, hashes.previous or _NOBODY, self.pepper) and not current
            if found is None or not (current or superseded):
                raise _refused()
            credential = found[0]
            chain: tuple[Credential, ...] = (credential,)
            if credential.parent is not None:
                chain = reads.credential_chains(credential.environment, [credential.id])[credential.id]
        if superseded or len(chain) > 1 or credential.expires_at or credential.revoked_at:
            now, until = self.store.now(), credential.previous_until
            if not alive(chain, now) or (superseded and (until is None or now >= until)):
                raise _refused()
        return Caller(credential, chain, request_id, superseded)


def live_chain(tx: Transaction, caller: Caller) -> tuple[Credential, ...]:
    """The caller's credential and its ancestors, read inside the transaction (RELIABILITY §3 B11).

    Raises:
        Unauthenticated: one of them was revoked or has expired since the caller came in.
    """
    chain = tx.credential_chains(tx.here.name, [caller.credential.id]).get(caller.credential.id, ())
    if not alive(chain, tx.now):
        raise _refused()
    return chain


def rights(tx: Transaction, caller: Caller, *roles: Role) -> tuple[Credential, ...]:
    """The caller's credential and its ancestors as they stand inside the transaction, for those who may do this.

    Whatever the surface has looked at, what counts is who the caller is now. Whoever operates the host has no row.

    Raises:
        Unauthenticated: it is dead by now. Forbidden: `role_not_allowed` for any but `roles`.
    """
    chain = caller.chain if caller.credential.id == HOST else live_chain(tx, caller)
    if chain[0].role not in roles:
        raise _role_not_allowed(chain[0].role)
    return chain


def recalled(tx: Transaction, credential_id: str, request_id: str, *roles: Role) -> Caller:
    """Whoever asked for something earlier, as they are now, for those who may still do this.

    Raises:
        Unauthenticated: the credential is dead by now. Forbidden: `role_not_allowed` for any but `roles`.
    """
    caller = host(tx.here.name)
    if credential_id != HOST:
        chain = tx.credential_chains(tx.here.name, [credential_id]).get(credential_id, ())
        if not alive(chain, tx.now):
            raise _refused()
        caller = Caller(chain[0], chain, request_id)
    if caller.role not in roles:
        raise _role_not_allowed(caller.role)
    return caller


def _role_not_allowed(role: Role) -> Forbidden:
    return Forbidden("role_not_allowed", f"A credential with the role {role} may not do this.")


def speaking(reads: Reads, environment: str, credentials: Collection[str], now: datetime) -> frozenset[str]:
    """Those of these credentials whose word still counts: what was said with a stolen key ends with it.

    Whoever operates the host has no key that could be stolen.
    """
    chains = reads.credential_chains(environment, credentials)
    return frozenset(one for one in credentials if one == HOST or alive(chains.get(one, ()), now))


def refuse_same_hand(tx: Transaction, first: str, second: str) -> None:
    """Refuse the word of a second person that the first could have said, as one who has seen the secrets of both keys.

    `first` and `second` are the credentials that they came with.

    Raises:
        Conflict: `second_person_needed`.
    """
    chains = tx.credential_chains(tx.here.name, {first, second})
    refuse_one_hand([chains.get(first, ())], chains.get(second, ()))


def _refused() -> Unauthenticated:
    return Unauthenticated("credential_invalid", "The key is not valid.")
