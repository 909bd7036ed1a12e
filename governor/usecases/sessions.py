"""Sessions: who comes with this token, and what may they do where; and their end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from governor.domain.credentials import Credential, Role, secret_hash
from governor.domain.errors import Forbidden, NotFound, Unauthenticated
from governor.domain.people import CONFIRMED_FOR, How, Lifetimes, Person, Session, live_members
from governor.domain.windows import BEGINNING
from governor.ports.identity import Identity
from governor.ports.people import PeopleStore, SignInTried
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller
from governor.usecases.prove_person import ProvePerson

log = structlog.get_logger(__name__)

_TOKEN = re.compile(r"[0-9A-Za-z]{43}", re.ASCII)
_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class SignedIn:
    """A live session with its person and what they may do now, membership by membership."""

    session: Session
    person: Person
    members: tuple[Credential, ...]
    over_at: datetime
    """When the session is over if it is not used again (UTC)."""
    confirmed: bool
    """Whether the person has proved who they are in the last minutes: some things are done only then."""

    @property
    def environments(self) -> tuple[str, ...]:
        """Where they may do anything, by name."""
        return tuple(sorted({one.environment for one in self.members}))

    def roles(self, environment: str) -> frozenset[Role]:
        """What they are in an environment; empty where they are nothing."""
        return frozenset(one.role for one in self.members if one.environment == environment)

    def caller(self, environment: str, role: Role, request_id: str | None = None) -> Caller:
        """The person as a caller of one role in one environment.

        Raises:
            NotFound: `environment_not_found` where they are nothing. Forbidden: `role_not_allowed`.
        """
        here = [one for one in self.members if one.environment == environment]
        if not here:
            raise NotFound("environment_not_found", "There is no such environment.")
        for member in here:
            if member.role is role:
                return Caller(member, (member,), request_id, confirmed=self.confirmed)
        raise Forbidden("role_not_allowed", f"{self.person.login} is no {role} in {environment}.")


@dataclass(frozen=True)
class Opened:
    """A session that has just begun. `token` is shown once: only its hash is kept."""

    token: str
    session: Session
    person: Person


@dataclass(frozen=True)
class Sessions:
    """Open them, look at them, end them."""

    people: PeopleStore
    prove: ProvePerson
    ids: IdFactory
    lifetimes: Lifetimes
    now: Callable[[], datetime]
    pepper: bytes

    def open(self, person: Person, address: str) -> Opened:
        """A new session of somebody who has just proved here who they are.

        Raises:
            Unauthenticated: `sign_in_failed` when that was overtaken.
        """
        now = self.now()
        session = Session(self.ids.new("ses"), person.id, How.PASSWORD, address, now, now, now)
        opened = self._open(person, session, None)
        if opened is None:
            raise Unauthenticated("sign_in_failed", "Something changed meanwhile; sign in again.")
        return opened

    def open_by(self, identity: Identity, person: Person, address: str) -> Opened:
        """A new session of the person with this identity, confirmed when they last proved it there.

        Raises:
            Unauthenticated: `identity_refused` when that was overtaken, the identity is theirs no more, or they have
                come in by the same trip before.
        """
        now = self.now()
        confirmed_at = min(now, identity.proved_at or BEGINNING)
        session = Session(self.ids.new("ses"), person.id, How.OIDC, address, now, now, confirmed_at)
        opened = self._open(person, session, identity)
        if opened is None:
            raise Unauthenticated(
                "identity_refused", "This was used already, or something changed meanwhile; sign in again."
            )
        return opened

    def _open(self, person: Person, session: Session, identity: Identity | None) -> Opened | None:
        token, how, address = self.ids.secret(), session.how, session.address
        if not self.people.add_session(session, person, secret_hash(token, self.pepper), identity):
            log.warning("sign_in_overtaken", person=person.id, how=how.value, address=address)
            return None
        self.people.note_sign_in(person.id, SignInTried(session.created_at, how, address, succeeded=True))
        log.info("signed_in", person=person.id, session=session.id, how=how.value, address=address)
        return Opened(token, session, person)

    def of(self, token: str, *, watching: bool = False) -> SignedIn:
        """Who comes with this token. It counts as used now, unless an open page only watches by itself.

        Raises:
            Unauthenticated: `session_over`: it never was one, has ended or expired, or its person is disabled.
        """
        found = self.people.session(secret_hash(token, self.pepper)) if _TOKEN.fullmatch(token) else None
        now = self.now()
        if found is None or not self.lifetimes.live(found[0], found[1], now):
            raise Unauthenticated("session_over", "Sign in again.")
        session, person, members = found
        if not watching and now - session.last_seen_at >= _NOTED_EVERY:
            self.people.note_seen(session.id, now)
            session = replace(session, last_seen_at=now)
        confirmed = now - session.confirmed_at < CONFIRMED_FOR
        over_at = self.lifetimes.over_at(session)
        return SignedIn(session, person, live_members(members, now), over_at, confirmed)

    def all_of(self, person: Person) -> tuple[Session, ...]:
        """The person's live sessions, newest first."""
        now = self.now()
        recent = self.people.sessions(person.id, now - self.lifetimes.idle)
        return tuple(one for one in recent if self.lifetimes.live(one, person, now))

    def confirm(self, token: str, password: str, code: str) -> SignedIn:
        """The person proves again who they are, for what needs that.

        Raises:
            Unauthenticated: `session_over`, `sign_in_failed`, `code_required`. TooManyTries: `too_many_tries`.
        """
        signed_in = self.of(token)
        self.prove(signed_in.person.login, password, code, signed_in.session.address)
        self.people.note_confirmed(signed_in.session.id, self.now())
        return self.of(token)

    def end(self, token: str) -> None:
        """Sign out. A token that opens nothing is left alone."""
        found = self.people.session(secret_hash(token, self.pepper)) if _TOKEN.fullmatch(token) else None
        if found is not None:
            self.people.end_session(found[0].id, self.now())

    def end_one(self, person: Person, session_id: str) -> None:
        """Sign a person out of one of their sessions.

        Raises:
            NotFound: `session_not_found` when it is not one of theirs, or is over.
        """
        if session_id not in {one.id for one in self.all_of(person)}:
            raise NotFound("session_not_found", "There is no such session.")
        self.people.end_session(session_id, self.now())

    def end_all(self, person: Person) -> None:
        """Sign out everywhere."""
        self.people.end_sessions(person.id, self.now())
        log.info("signed_out_everywhere", person=person.id)
