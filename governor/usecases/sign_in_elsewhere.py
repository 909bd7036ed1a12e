"""Signing in at the identity provider; its groups decide about memberships that are mapped to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import structlog

from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Forbidden, NotFound, Unauthenticated
from governor.domain.people import Person, possible_login
from governor.ports.identity import Identity, IdentityProvider, Started
from governor.ports.people import PeopleStore
from governor.usecases.callers import host
from governor.usecases.grant_membership import GrantMembership, MembershipDraft
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.manage_people import ManagePeople
from governor.usecases.sessions import Opened, Sessions

log = structlog.get_logger(__name__)

_NOT_SAID = "the identity provider does not say so any more"


class Mapped(Protocol):
    """What groups mean here, as whoever operates the installation has set it."""

    def of(self, groups: Iterable[str]) -> frozenset[tuple[str, Role]]:
        """What somebody in these groups is: environments with roles."""
        ...

    def decided(self) -> frozenset[tuple[str, Role]]:
        """What the provider's groups decide about."""
        ...


@dataclass(frozen=True)
class SignInElsewhere:
    """The way in by what the provider says. Who comes in is who has its issuer and subject, whatever they are called."""

    provider: IdentityProvider
    mapped: Mapped
    people: PeopleStore
    sessions: Sessions
    manage: ManagePeople
    grant: GrantMembership
    credentials: ManageCredentials

    def begin(self, *, fresh: bool = False) -> Started:
        """Where to send the browser, and the ticket that it must bring back.

        Who is signed in and has to prove again who they are goes `fresh`; their new session takes the old one's place.

        Raises:
            Unavailable: `identity_provider_unavailable`.
        """
        return self.provider.begin(fresh=fresh)

    def finish(self, ticket: str, answer: Mapping[str, str], address: str) -> Opened:
        """Who came back with this ticket and these query parameters. What they may do is by then what their groups say.

        Raises:
            Unauthenticated: `identity_refused`; `sign_in_failed` when the person is disabled. Forbidden:
            `identity_unknown` when it is nobody's, and its groups mean nothing here. Conflict: `login_taken`
            when somebody else goes by its name. Unavailable: `identity_provider_unavailable`.
        """
        identity = self.provider.finish(ticket, answer)
        person = self.people.by_identity(identity.issuer, identity.subject) or self._newcomer(identity)
        if person.disabled_at is not None:
            log.warning("sign_in_failed", person=person.id, address=address)
            raise Unauthenticated("sign_in_failed", "This account cannot be used.")
        opened = self.sessions.open_by(identity, person, address)
        # Only behind it: what is said on a trip that lets nobody in changes nothing. Nobody has the token yet.
        self._follow(person, identity)
        return opened

    def _newcomer(self, identity: Identity) -> Person:
        login = identity.username.partition("@")[0].lower()
        if not self.mapped.of(identity.groups) or not possible_login(login):
            log.warning("identity_unknown", issuer=identity.issuer, subject=identity.subject)
            raise Forbidden(
                "identity_unknown", "Nobody here has this identity; whoever operates governor can link it."
            )
        # Their name there is what they, or somebody else, has chosen: it must not make them somebody who is here.
        if self.people.name_in_use(login):
            raise Conflict(
                "login_taken", f"Somebody here is called {login}; whoever operates governor can link them."
            )
        name = "".join(one for one in identity.name if one.isprintable()).strip()[:128]
        return self.manage.create(login, name or login, None, (identity.issuer, identity.subject))

    def _follow(self, person: Person, identity: Identity) -> None:
        """Grant what their groups say, and take back what these do not say any more."""
        wanted = self.mapped.of(identity.groups)
        standing = {
            (one.environment, one.role): one
            for one in self.people.members(person.id)
            if one.revoked_at is None
        }
        for environment, role in sorted(wanted - standing.keys()):
            key = f"groups-{identity.trip[:32]}-{role}"
            try:
                # Another sign-in of theirs may have brought it just now, or they were disabled.
                with suppress(Conflict):
                    self.grant(host(environment), MembershipDraft(person.login, role), key)
            except NotFound:
                log.warning("group_means_nothing", environment=environment, role=role)
        for place in sorted((self.mapped.decided() & standing.keys()) - wanted):
            self.credentials.revoke(host(place[0]), standing[place].id, _NOT_SAID)
