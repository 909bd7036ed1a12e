"""People who sign in to the console of a world: one of each role, and whoever a test needs beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from governor.domain.credentials import Role
from governor.usecases.callers import host
from governor.usecases.grant_membership import MembershipDraft
from tests.builders import World, fresh_key

PASSWORD = "a ladder in the orchard"
LOGINS = {
    Role.AGENT: "ada",
    Role.APPROVER: "ben",
    Role.OPERATOR: "cleo",
    Role.AUDITOR: "eve",
}


@dataclass
class Crew:
    """The people of a world; each is founded when somebody first asks for them."""

    world: World
    _known: set[str] = field(default_factory=set)

    def login(self, role: Role) -> str:
        """The login of the one who has this role, and no other, in the world's environment."""
        return self.somebody(LOGINS[role], {self.world.environment: [role]})

    def somebody(self, login: str, grants: dict[str, list[Role]]) -> str:
        """Somebody with these roles by environment; their password is PASSWORD."""
        if login not in self._known:
            self._known.add(login)
            self.world.app.people.manage.create(login, f"{login.capitalize()} of the tests", PASSWORD)
            for environment, roles in grants.items():
                for role in roles:
                    self.grant(login, environment, role)
        return login

    def member(self, role: Role) -> str:
        """The membership of the one who has this role and no other."""
        login, people = self.login(role), self.world.app.people.manage
        return people.memberships(people.named(login))[0].id

    def grant(self, login: str, environment: str, role: Role) -> str:
        """One more role; the id of the membership."""
        draft = MembershipDraft(login, role)
        return self.world.app.people.grant(host(environment), draft, fresh_key("grant"))[0].id
