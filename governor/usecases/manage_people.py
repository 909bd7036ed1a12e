"""Accounts of people, kept by whoever operates the host; and what people change of their own.

Nobody else sets a password or takes an authenticator away: whoever could, could speak for that person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from governor.domain.credentials import Credential
from governor.domain.errors import Conflict, NotFound
from governor.domain.people import Person, check_password, checked_login, checked_name
from governor.ports.people import Passwords, PeopleStore
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import host
from governor.usecases.release_dead import release_all_of

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ManagePeople:
    """What whoever operates the host does with accounts."""

    people: PeopleStore
    store: UnitOfWork
    passwords: Passwords
    ids: IdFactory
    now: Callable[[], datetime]

    def create(
        self, login: str, name: str, password: str | None, identity: tuple[str, str] | None = None
    ) -> Person:
        """A new person, who may do nothing yet.

        Without a password they come from elsewhere, where `identity`, an issuer and a subject, names them.

        Raises:
            Invalid: `/login`, `/name`, `/password`. Conflict: `login_taken`.
        """
        login, name, now = checked_login(login), checked_name(name), self.now()
        kept = self._kept(password, login, name) if password is not None else None
        set_at = now if kept else None
        person = Person(self.ids.new("usr"), login, name, now, password_set_at=set_at)
        if not self.people.add(person, kept, identity):
            raise Conflict("login_taken", "Somebody has this login.")
        log.info("person_created", person=person.id)
        return person

    def named(self, login: str) -> Person:
        """A person by login.

        Raises:
            NotFound: `person_not_found`.
        """
        found = self.people.by_login(login)
        if found is None:
            raise NotFound("person_not_found", "There is no such person.")
        return found[0]

    def everybody(self) -> tuple[Person, ...]:
        """All people, by login."""
        return self.people.people()

    def memberships(self, person: Person) -> tuple[Credential, ...]:
        """Everything they were ever granted, by environment."""
        return self.people.members(person.id)

    def rename(self, login: str, name: str) -> Person:
        """Another name for people to read. The login stays: it is what the past names.

        Raises:
            NotFound: `person_not_found`. Invalid: `/name`.
        """
        self.people.rename(self.named(login).id, checked_name(name))
        return self.named(login)

    def set_password(self, login: str, password: str) -> Person:
        """Another password; everything they had signed in to is over.

        Raises:
            NotFound: `person_not_found`. Invalid: `/password`.
        """
        person = self.named(login)
        kept = self._kept(password, person.login, person.name)
        self.people.set_password(person.id, kept, self.now())
        log.info("password_set", person=person.id)
        return self.named(login)

    def remove_totp(self, login: str) -> Person:
        """For who has lost their authenticator: no code is asked for until they set up another.

        Raises:
            NotFound: `person_not_found`.
        """
        person = self.named(login)
        self.people.set_codes(person.id, None, None, ())
        log.info("totp_off", person=person.id)
        return self.named(login)

    def link(self, login: str, issuer: str, subject: str) -> Person:
        """They are who the identity provider calls by this subject.

        Raises:
            NotFound: `person_not_found`. Conflict: `identity_taken`.
        """
        person = self.named(login)
        if not self.people.link(person.id, issuer, subject, self.now()):
            raise Conflict("identity_taken", "Somebody has this identity.")
        log.info("identity_linked", person=person.id, issuer=issuer)
        return person

    def unlink(self, login: str) -> Person:
        """They have no identity elsewhere any more: what they had signed in to by it is over; a password still counts.

        Raises:
            NotFound: `person_not_found`.
        """
        person = self.named(login)
        self.people.unlink(person.id, self.now())
        log.info("identity_unlinked", person=person.id)
        return person

    def identities(self, person: Person) -> tuple[tuple[str, str], ...]:
        """Issuer and subject of each of their identities elsewhere."""
        return self.people.identities(person.id)

    def disable(self, login: str) -> Person:
        """At once they are signed out and their memberships open nothing; what they asked for and is not sent is canceled.

        Doing it again does what was left undone when it was interrupted.

        Raises:
            NotFound: `person_not_found`.
        """
        person = self.named(login)
        if person.disabled_at is None:
            self.people.disable(person.id, self.now())
            log.info("person_disabled", person=person.id)
        for environment, mine in self._standing(person).items():
            with self.store.environment(environment) as tx:
                canceled = sum(release_all_of(tx, one) for one in mine)
                told = {"login": person.login, "memberships": mine, "canceled": canceled}
                tx.append_audit([host(environment).entry("person.disabled", person.id, told)])
        return self.named(login)

    def enable(self, login: str) -> Person:
        """They may sign in again, and their memberships count again.

        Raises:
            NotFound: `person_not_found`.
        """
        person = self.named(login)
        if person.disabled_at is not None:
            self.people.enable(person.id)
            log.info("person_enabled", person=person.id)
            for environment, mine in self._standing(person).items():
                with self.store.environment(environment) as tx:
                    told = {"login": person.login, "memberships": mine}
                    tx.append_audit([host(environment).entry("person.enabled", person.id, told)])
        return self.named(login)

    def _standing(self, person: Person) -> dict[str, list[str]]:
        """Environment → what of it was granted to them and not revoked."""
        found: dict[str, list[str]] = {}
        for one in self.people.members(person.id):
            if one.revoked_at is None:
                found.setdefault(one.environment, []).append(one.id)
        return found

    def _kept(self, password: str, login: str, name: str) -> str:
        check_password(password, login, name)
        return self.passwords.keep(password)
