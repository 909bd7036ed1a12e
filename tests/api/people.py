"""People who call the API: each has a key of a role and says what they want in one line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from governor.domain.credentials import Kind, Role
from tests.api.wire import Got, Sent, Wire
from tests.builders import World, fresh_key

API = "/api/v1"


@dataclass(frozen=True)
class Person:
    """Somebody with a key."""

    wire: Wire
    key: str

    def send(self, method: str, path: str, body: object = None, **headers: str | None) -> Got:
        """One request; header names are written with underscores. POSTs get a fresh operation key, unless it is None."""
        sent = {"Host": "localhost", "Authorization": f"Bearer {self.key}"}
        if method == "POST":
            sent["Idempotency-Key"] = fresh_key("api")
        if body is not None:
            sent["Content-Type"] = "application/json"
        for name, value in headers.items():
            sent.pop(name.replace("_", "-"), None)
            if value is not None:
                sent[name.replace("_", "-")] = value
        raw = None if body is None else json.dumps(body).encode()
        return self.wire(Sent(method, API + path, tuple(sent.items()), raw))

    def get(self, path: str, **headers: str) -> Got:
        """Look."""
        return self.send("GET", path, **headers)

    def post(self, path: str, body: object = None, **headers: str) -> Got:
        """Do."""
        return self.send("POST", path, body, **headers)


@dataclass(frozen=True)
class People:
    """One person of each role in one world."""

    world: World
    wire: Wire

    def somebody(self, role: Role, name: str, **fields: Any) -> Person:
        """A new person; `fields` as for World.key."""
        return Person(self.wire, self.world.key(role, name, **fields))

    @cached_property
    def agent(self) -> Person:
        """A program that asks for refunds."""
        return self.somebody(Role.AGENT, "agent")

    @cached_property
    def other_agent(self) -> Person:
        """Another program, of another person."""
        return self.somebody(Role.AGENT, "other agent")

    @cached_property
    def supporter(self) -> Person:
        """A human who asks for refunds."""
        return self.somebody(Role.AGENT, "supporter", kind=Kind.HUMAN)

    @cached_property
    def approver(self) -> Person:
        """A human who decides holds."""
        return self.somebody(Role.APPROVER, "approver", kind=Kind.HUMAN)

    @cached_property
    def operator(self) -> Person:
        """A human who sets limits."""
        return self.somebody(Role.OPERATOR, "operator", kind=Kind.HUMAN)

    @cached_property
    def auditor(self) -> Person:
        """A human who reads."""
        return self.somebody(Role.AUDITOR, "auditor", kind=Kind.HUMAN)

    def with_role(self, role: Role) -> Person:
        """The person of a role."""
        person: Person = getattr(self, role.value)
        return person
