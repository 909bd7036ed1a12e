"""People as the core needs them: what is kept of them, and how what they know is checked.

People are the same in every environment; what they may do is a membership there (`governor.domain.people`). Nothing
here joins an environment's line, but `disable`, which ends every membership at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.credentials import Credential
from governor.domain.people import How, Person, Proofs, Session
from governor.domain.tries import Allowance
from governor.ports.identity import Identity


@dataclass(frozen=True)
class SignInTried:
    """One try to sign in, for the person themselves to look through."""

    at: datetime
    how: How
    address: str
    succeeded: bool


class PeopleStore(Protocol):
    """Every method is one transaction, durable when it returns.

    Raises:
        Unavailable: `decision_not_recorded` when the database could not do it.
    """

    def by_login(self, login: str) -> tuple[Person, Proofs] | None:
        """A person by login."""
        ...

    def by_id(self, person_id: str) -> tuple[Person, Proofs] | None:
        """A person by id."""
        ...

    def people(self) -> tuple[Person, ...]:
        """Everybody, by login."""
        ...

    def members(self, person_id: str) -> tuple[Credential, ...]:
        """Every membership that a person was ever granted, oldest first."""
        ...

    def add(self, person: Person, password_hash: str | None, identity: tuple[str, str] | None = None) -> bool:
        """A new person, with the issuer and subject they are elsewhere; False when login or identity is somebody's."""
        ...

    def rename(self, person_id: str, name: str) -> None:
        """Another name for people to read."""
        ...

    def set_password(self, person_id: str, password_hash: str, now: datetime) -> None:
        """Another password, whatever stood before; all sessions end."""
        ...

    def change_password(self, person: Person, password_hash: str, now: datetime, keep: str) -> bool:
        """Another password of `person` as they were when they proved who they are; all sessions but `keep` end.

        False when they were disabled or got another password since then: nothing is changed.
        """
        ...

    def rehash(self, person_id: str, before: str, password_hash: str) -> None:
        """The same password, kept as passwords are kept now; nothing when another one stands in place of `before`."""
        ...

    def disable(self, person_id: str, now: datetime) -> None:
        """All sessions end and no membership opens anything, from the commit on, in every environment."""
        ...

    def enable(self, person_id: str) -> None:
        """They may sign in again, and their memberships count again."""
        ...

    def set_codes(
        self, person_id: str, secret: bytes | None, since: datetime | None, recovery: Sequence[str]
    ) -> None:
        """Another secret for one-time codes, asked for `since` then (None: not yet), with hashes of recovery codes."""
        ...

    def use_step(self, person_id: str, step: int) -> bool:
        """Use up the code of a step and all before it; False when that was done already."""
        ...

    def use_recovery(self, person_id: str, code_hash: str) -> bool:
        """Use up a recovery code; False when it is none of the person's."""
        ...

    def by_identity(self, issuer: str, subject: str) -> Person | None:
        """The person whom an identity provider knows by this."""
        ...

    def identities(self, person_id: str) -> tuple[tuple[str, str], ...]:
        """Issuer and subject of each identity of a person."""
        ...

    def link(self, person_id: str, issuer: str, subject: str, now: datetime) -> bool:
        """From now on this identity is theirs; False when it is somebody's already."""
        ...

    def unlink(self, person_id: str, now: datetime) -> None:
        """They have no identity elsewhere any more, and every session that began with one ends."""
        ...

    def name_in_use(self, name: str) -> bool:
        """Whether somebody has this login, or some key names it as its owner or its agent."""
        ...

    def add_session(
        self, session: Session, person: Person, token_hash: str, identity: Identity | None
    ) -> bool:
        """A new session of `person` as they were when they proved who they are; fifty at most, and the oldest goes.

        False when they were disabled or got another password since then; when the identity by which they came is
        theirs no more, or its trip has led to a session before.
        """
        ...

    def session(self, token_hash: str) -> tuple[Session, Person, tuple[Credential, ...]] | None:
        """A session with its person and all their memberships, in one look."""
        ...

    def sessions(self, person_id: str, since: datetime) -> tuple[Session, ...]:
        """The sessions of a person that were not ended and were used since then, newest first."""
        ...

    def note_seen(self, session_id: str, now: datetime) -> None:
        """It was used in this minute. It waits for no standby: nobody is harmed when it is lost."""
        ...

    def note_confirmed(self, session_id: str, now: datetime) -> None:
        """The person has just proved again who they are."""
        ...

    def end_session(self, session_id: str, now: datetime) -> None:
        """From the commit on it opens nothing."""
        ...

    def end_sessions(self, person_id: str, now: datetime) -> None:
        """The same for every session of a person."""
        ...

    def note_sign_in(self, person_id: str | None, tried: SignInTried) -> None:
        """A try to sign in as this person, or with a login that is nobody's; the oldest are forgotten."""
        ...

    def sign_ins(self, person_id: str) -> tuple[SignInTried, ...]:
        """The last tries, newest first."""
        ...

    def count_try(self, allowances: Mapping[str, Allowance], now: datetime) -> datetime | None:
        """Count one try in all these places, at once; or, when one of them does not allow it yet, when it will."""
        ...

    def forget_tries(self, places: Sequence[str], one_of: str) -> None:
        """The last one was right: forget those in these places, and in that one the last."""
        ...


class Passwords(Protocol):
    """How passwords are kept: so that each guess costs, whoever has stolen the database."""

    def keep(self, password: str) -> str:
        """What is kept of a password."""
        ...

    def match(self, password: str, kept: str | None) -> bool:
        """Whether it is the one; it takes the same time when there is none to compare with."""
        ...

    def outdated(self, kept: str) -> bool:
        """Whether passwords are kept more dearly by now."""
        ...


class Codes(Protocol):
    """One-time codes of an authenticator (RFC 6238), whose secrets are sealed for the person they belong to."""

    def new_secret(self, person_id: str) -> bytes:
        """A new secret, sealed."""
        ...

    def address(self, sealed: bytes, person: Person) -> str:
        """The `otpauth://` address that an authenticator reads; it contains the secret."""
        ...

    def step_of(self, code: str, sealed: bytes, person_id: str, steps: Sequence[int]) -> int | None:
        """The step among these whose code it is."""
        ...

    def new_recovery(self) -> tuple[str, ...]:
        """Recovery codes, to be shown once."""
        ...
