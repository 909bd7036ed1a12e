"""A membership: what a person may do in one environment. It is revoked like every other credential."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.credentials import Credential, Kind, Role, hands
from governor.domain.errors import Conflict, Forbidden, NotFound
from governor.domain.people import Person
from governor.ports.people import PeopleStore
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.credential_drafts import CredentialDraft, root
from governor.usecases.manage_credentials import told_of
from governor.usecases.operations import asked_of, earlier, remember


@dataclass(frozen=True)
class MembershipDraft:
    """What an operator grants to whom. `approve_up_to`: as a credential's."""

    login: str
    role: Role
    approve_up_to: Mapping[str, int] | None = None
    expires_at: datetime | None = None

    def drawn_up(self, person: Person) -> CredentialDraft:
        """As a credential of this person, who answers for it and whose refunds it counts as."""
        return CredentialDraft(
            person.name,
            self.role,
            Kind.HUMAN,
            person.login,
            person.login,
            self.expires_at,
            self.approve_up_to,
        )


@dataclass(frozen=True)
class GrantMembership:
    """What operators do for people of their environment, never for themselves."""

    people: PeopleStore
    store: UnitOfWork
    ids: IdFactory

    def __call__(self, caller: Caller, draft: MembershipDraft, key: str) -> tuple[Credential, bool]:
        """The membership, and whether this is a replay.

        Raises:
            NotFound: `person_not_found`. Forbidden: `role_not_allowed`, `own_membership`. Conflict:
            `membership_exists`, `person_disabled`. Invalid: `/expires_at`, `/approve_up_to`.
        """
        if caller.role is not Role.OPERATOR:
            # Before anything is told of people. What counts is asked again below, as things stand then.
            raise Forbidden("role_not_allowed", "Only an operator grants memberships.")
        asked, scope = asked_of(draft), f"membership:{caller.credential.id}"
        person = self._known(draft.login)
        with self.store.environment(caller.environment) as tx:
            chain = rights(tx, caller, Role.OPERATOR)
            known = earlier(tx, scope, key, asked)
            if known is not None:
                return tx.credential_chains(tx.here.name, [known])[known][0], True
            if person.login in hands(chain):
                raise Forbidden("own_membership", "Somebody else has to grant you this.")
            membership = self._new(tx, draft, person)
            tx.add_credential(membership, None)
            told = {"from": None, "to": {**told_of(membership), "person": person.id}}
            tx.append_audit([caller.entry("credential.created", membership.id, told)])
            remember(tx, scope, key, asked, membership.id)
            return membership, False

    def _known(self, login: str) -> Person:
        found = self.people.by_login(login)
        if found is None:
            raise NotFound("person_not_found", "There is no such person.")
        if found[0].disabled_at is not None:
            raise Conflict("person_disabled", "Enable the person first.")
        return found[0]

    def _new(self, tx: Transaction, draft: MembershipDraft, person: Person) -> Credential:
        for one in tx.credentials(tx.here.name):
            if one.person == person.id and one.role is draft.role and one.revoked_at is None:
                raise Conflict("membership_exists", "They have this role here.")
        asked = draft.drawn_up(person)
        asked.check_life(tx.now)
        return replace(root(tx.here.name, asked, self.ids.new("cred"), tx.now), person=person.id)
