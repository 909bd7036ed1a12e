"""Separation of duties over HTTP: every relation of an approver to whoever asked, and what each is answered.

The rule itself is tried without a server in tests/unit/test_duties.py; the command line is a client of this surface.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Forbidden
from governor.usecases.callers import host
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.stand_ins import StandInDraft
from tests.api.people import People, Person
from tests.builders import World, fresh_key

OLGA = "olga"
Somebody = Callable[[World, str], str]


@pytest.fixture(scope="module", autouse=True)
def _limits(world: World) -> None:
    world.limit(1_000_000, approval_above=1000)


def _key(role: Role, owner: str, **fields: Any) -> Somebody:
    return lambda world, _: world.key(role, fresh_key("key"), owner=owner, kind=Kind.HUMAN, **fields)


def _rotated(role: Role, owner: str) -> Somebody:
    """A key whose secret was replaced: the new one is the same person's."""

    def make(world: World, _: str) -> str:
        caller = world.app.authenticate(_key(role, owner)(world, ""))
        made = world.app.manage_credentials.rotate(
            caller, caller.credential.id, timedelta(0), fresh_key("rotate")
        )
        assert made[1] is not None
        return made[1]

    return make


def _child(world: World, asker: str) -> str:
    caller = world.app.authenticate(asker)
    made = world.app.manage_credentials.create(caller, CredentialDraft(fresh_key("below"), None), fresh_key())
    assert made[1] is not None
    return made[1]


def _up_to(amounts: dict[str, int]) -> Somebody:
    def make(world: World, _: str) -> str:
        draft = CredentialDraft(
            fresh_key("limited"), Role.APPROVER, Kind.HUMAN, fresh_key("owner"), None, approve_up_to=amounts
        )
        return world.app.manage_credentials.found(world.environment, draft)[1]

    return make


def _linked(*, olga_is_away: bool, ended: bool = False) -> Somebody:
    """An approver who stands in for the person that asked, or has named them."""

    def make(world: World, _: str) -> str:
        for one in world.app.stand_ins.seen_by(world.operator):
            world.app.stand_ins.end(world.operator, one.id)
        key = _key(Role.APPROVER, fresh_key("zoe"))(world, "")
        pair = [world.app.authenticate(one) for one in (_key(Role.APPROVER, OLGA)(world, ""), key)]
        away, other = pair if olga_is_away else reversed(pair)
        draft = StandInDraft(other.credential.owner, None, world.app.store.now() + timedelta(days=1))
        stand_in = world.app.stand_ins(away, draft, fresh_key("stand-in"))
        if ended:
            world.app.stand_ins.end(away, stand_in.id)
        return key

    return make


# who comes                                           with this key                              approve             reject
RELATIONS: list[tuple[str, Somebody, str, str]] = [
    ("a stranger",                                    _key(Role.APPROVER, "zoe"),                "queued",           "rejected"),
    ("the very key that asked",                       lambda _, asker: asker,                    "role_not_allowed", "role_not_allowed"),
    ("a child of it",                                 _child,                                    "role_not_allowed", "role_not_allowed"),
    ("another agent of the same person",              _key(Role.AGENT, OLGA),                    "role_not_allowed", "role_not_allowed"),
    ("the same person as an approver",                _key(Role.APPROVER, OLGA),                 "self_approval",    "self_approval"),
    ("the same person with a replaced secret",        _rotated(Role.APPROVER, OLGA),             "self_approval",    "self_approval"),
    ("the same person as an operator",                _key(Role.OPERATOR, OLGA),                 "role_not_allowed", "role_not_allowed"),
    ("an operator",                                   _key(Role.OPERATOR, "oscar"),              "role_not_allowed", "role_not_allowed"),
    ("an auditor",                                    _key(Role.AUDITOR, "uma"),                 "role_not_allowed", "role_not_allowed"),
    ("a stranger whose key bears the agent's name",   _key(Role.APPROVER, "yan", agent="bot-7"), "queued",           "rejected"),
    ("who stands in for the person that asked",       _linked(olga_is_away=True),                "self_approval",    "self_approval"),
    ("for whom the person that asked stands in",      _linked(olga_is_away=False),               "self_approval",    "self_approval"),
    ("who stood in for them until just now",          _linked(olga_is_away=True, ended=True),    "queued",           "rejected"),
    ("an approver up to as much",                     _up_to({"usd": 2000}),                     "queued",           "rejected"),
    ("an approver up to less",                        _up_to({"usd": 1999}),                     "above_own_limit",  "rejected"),
    ("an approver of another currency",               _up_to({"eur": 9000}),                     "above_own_limit",  "rejected"),
    ("an approver of nothing",                        _up_to({}),                                "above_own_limit",  "rejected"),
]  # fmt: skip


@pytest.mark.parametrize("choice", ["approve", "reject"])
@pytest.mark.parametrize(("who", "make", "yes", "no"), RELATIONS, ids=[one[0] for one in RELATIONS])
def test_who_may_decide_over_http(
    people: People, world: World, choice: str, who: str, make: Somebody, yes: str, no: str
) -> None:
    """Cases 70, 71."""
    asker = _key(Role.AGENT, OLGA, agent="bot-7")(world, "")
    asked = {"payment": world.payment(5000), "amount": 2000, "currency": "usd"}
    hold = Person(people.wire, asker).post("/refund-requests", asked).json["hold"]
    seen = people.auditor.get(f"/holds/{hold}").json
    said = {"decision": choice, "digest": seen["digest"], "version": seen["version"], "reason": "looked"}
    got = Person(people.wire, make(world, asker)).post(f"/holds/{hold}/decisions", said)
    expected = yes if choice == "approve" else no
    answered = got.json["state"] if got.status == 200 else got.code
    assert answered == expected, who
    after = people.auditor.get(f"/holds/{hold}").json
    assert len(after["decisions"]) == (got.status == 200), "who may not decide leaves no vote"


def test_whoever_operates_the_host_decides_nothing(world: World) -> None:
    """The command line on the host has no verb for it, and the use case refuses its caller."""
    request = world.request(world.caller(), world.payment(5000), 2000)
    hold, _ = world.app.queries.hold(world.operator, request.hold or "")
    with pytest.raises(Forbidden) as refused:
        world.app.decide_hold(
            host(world.environment), hold.id, Ballot(Choice.APPROVE, hold.digest, hold.version), fresh_key()
        )
    assert refused.value.code == "role_not_allowed"
