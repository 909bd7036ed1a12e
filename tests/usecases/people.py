"""People of a world who sign in: short ways to make one and to let them come."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.credentials import Credential, Role
from governor.usecases.callers import Caller
from governor.usecases.grant_membership import MembershipDraft
from governor.usecases.sessions import Opened
from tests.builders import World, fresh_key

PASSWORD = "a long walk to Wednesday"
ADDRESS = "192.0.2.7"


@dataclass(frozen=True)
class Staff:
    """The people of one world."""

    world: World

    def person(self, login: str, *roles: Role) -> str:
        """A new person with these memberships; their login."""
        self.world.app.people.manage.create(login, login.title(), PASSWORD)
        for role in roles:
            self.member(login, role)
        return login

    def member(self, login: str, role: Role) -> Credential:
        """Another membership."""
        draft = MembershipDraft(login, role)
        return self.world.app.people.grant(self.world.operator, draft, fresh_key("grant"))[0]

    def sign_in(self, login: str, password: str = PASSWORD, code: str = "", address: str = ADDRESS) -> Opened:
        """Through the door."""
        return self.world.app.people.sign_in.with_password(login, password, code, address)

    def caller(self, opened: Opened, role: Role) -> Caller:
        """As the console makes one of them for each page."""
        signed_in = self.world.app.people.sessions.of(opened.token)
        return signed_in.caller(self.world.environment, role, "req-1")
