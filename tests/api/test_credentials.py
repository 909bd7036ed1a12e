"""Credentials over HTTP: made, replaced, delegated, revoked."""

import pytest

from governor.domain.credentials import Role
from governor.usecases.grant_membership import MembershipDraft
from tests.api.people import People, Person
from tests.builders import World, fresh_key

PATH = "/credentials"
NO_WISH_AT_ALL = {"/approve_up_to", "/currency", "/caps/0/scope", "/caps"}
DAY_CAP = {"measure": "amount", "currency": "usd", "window": "day", "cap": 500}


def owned(people: People, key: str) -> Person:
    """Whoever has this key."""
    return Person(people.wire, key)


def delegate(people: People, parent: Person, **fields: object) -> Person:
    got = parent.post(PATH, {"name": "child", **fields})
    assert got.status == 201, got.body
    return owned(people, got.json["key"])


def test_an_agent_makes_a_narrower_key_with_caps_of_its_own(people: People, world: World) -> None:
    world.limit(1_000_000)
    parent = people.somebody(Role.AGENT, "parent", owner="ana", agent="bot")
    got = parent.post(PATH, {"name": "child", "expires_at": "2031-01-01T00:00:00Z", "caps": [DAY_CAP]})
    made = got.json
    assert got.status == 201
    assert [made[name] for name in ("role", "kind", "owner", "agent")] == ["agent", "program", "ana", "bot"]
    child = owned(people, made["key"])

    def ask(who: Person, amount: int) -> str | None:
        asked = {"payment": world.payment(), "amount": amount, "currency": "usd"}
        return who.post("/refund-requests", asked).code

    assert (ask(child, 501), ask(child, 500), ask(child, 1), ask(parent, 501)) == (
        "limit_exceeded",
        None,
        "limit_exceeded",
        None,
    )
    tree = parent.get(PATH).json["data"]
    assert [(one["name"], one["parent"]) for one in tree] == [("parent", None), ("child", tree[0]["id"])]
    assert [one["id"] for one in child.get(PATH).json["data"]] == [made["id"]]
    assert "key" not in tree[1]


@pytest.mark.parametrize(
    ("wider", "pointer"),
    [
        ({"role": "operator"}, "/role"),
        ({"kind": "human"}, "/kind"),
        ({"owner": "ben"}, "/owner"),
        ({"agent": "fresh"}, "/agent"),
        ({"approve_up_to": {"usd": 1}}, "/approve_up_to"),
        ({"expires_at": "2031-06-01T00:00:00Z"}, "/expires_at"),
        ({"caps": [{**DAY_CAP, "currency": None}]}, "/currency"),
        ({"caps": [{**DAY_CAP, "scope": "agent"}]}, "/caps/0/scope"),
        ({"caps": [DAY_CAP] * 5}, "/caps"),
    ],
)
def test_a_wider_wish_is_refused_by_its_field(people: People, wider: dict[str, object], pointer: str) -> None:
    """RELIABILITY §4, 142."""
    parent = people.somebody(Role.AGENT, "parent", owner="ana", agent="bot")
    short = delegate(people, parent, expires_at="2031-01-01T00:00:00Z")
    got = short.post(PATH, {"name": "grandchild", **wider})
    if got.code == "wider_than_parent":
        assert (got.status, got.json["pointer"]) == (403, pointer)
    else:
        assert (got.status, [one["pointer"] for one in got.json["errors"]]) == (422, [pointer])
        assert pointer in NO_WISH_AT_ALL
    assert len(short.get(PATH).json["data"]) == 1


def test_a_child_dies_with_its_parent(people: People) -> None:
    parent = people.somebody(Role.AGENT, "parent")
    child = delegate(people, parent)
    me = parent.get(PATH).json["data"][0]["id"]
    gone = people.operator.send("DELETE", f"{PATH}/{me}", {"reason": "runaway"})
    assert (gone.status, gone.json["revoked_reason"]) == (200, "runaway")
    assert (parent.get("/environment").status, child.get("/environment").status) == (401, 401)


def test_a_secret_is_replaced_with_an_overlap(people: People) -> None:
    old = people.somebody(Role.AGENT, "rotated")
    me = old.get(PATH).json["data"][0]["id"]
    key = fresh_key()
    got = people.operator.post(f"{PATH}/{me}/rotate", {"overlap_seconds": 600}, Idempotency_Key=key)
    assert (got.status, got.json["previous_until"] is not None) == (200, True)
    again = people.operator.post(f"{PATH}/{me}/rotate", {"overlap_seconds": 600}, Idempotency_Key=key)
    assert (again.json["key"], again.headers["Idempotent-Replayed"]) == (None, "true")
    new = owned(people, got.json["key"])
    assert (old.get("/environment").status, new.get("/environment").status) == (200, 200)
    assert old.post(f"{PATH}/{me}/rotate").code == "credential_superseded"
    assert old.post(PATH, {"name": "child"}).code == "credential_superseded"
    newest = owned(people, new.post(f"{PATH}/{me}/rotate").json["key"])
    assert [one.get("/environment").status for one in (old, new, newest)] == [401, 401, 200]


def test_whose_secret_one_may_replace(people: People) -> None:
    approver = people.auditor.get(PATH).json["data"]
    theirs = next(one["id"] for one in approver if one["role"] == "operator")
    assert people.auditor.post(f"{PATH}/{theirs}/rotate").code == "credential_not_found"
    other = people.somebody(Role.OPERATOR, "another operator")
    assert other.post(f"{PATH}/{theirs}/rotate").code == "credential_not_yours"
    assert other.post(f"{PATH}/{theirs}/rotate", {"overlap_seconds": 604_801}).status == 422


def test_a_key_shows_when_it_was_last_used(people: People) -> None:
    somebody = people.somebody(Role.AGENT, "seldom used")
    assert somebody.get("/nothing").status == 404
    before = somebody.get(PATH).json["data"][0]
    after = somebody.get(PATH).json["data"][0]
    assert (before["last_used_at"], after["last_used_at"] is not None) == (None, True)
    assert after["last_used_at"].endswith(":00Z")


def test_an_approver_is_told_their_own_limit(people: People, world: World) -> None:
    world.limit(1_000_000, approval_above=100)
    made = people.operator.post(
        PATH, {"name": "small", "role": "approver", "approve_up_to": {"usd": 200}}
    ).json
    assert made["approve_up_to"] == {"usd": 200}
    asked = {"payment": world.payment(), "amount": 300, "currency": "usd"}
    hold = people.agent.post("/refund-requests", asked).json["hold"]
    small = owned(people, made["key"])
    shown = small.get(f"/holds/{hold}").json
    said = {"decision": "approve", "digest": shown["digest"], "version": shown["version"]}
    got = small.post(f"/holds/{hold}/decisions", said)
    assert (got.status, got.code, got.json["approve_up_to"]) == (403, "above_own_limit", 200)
    assert people.operator.post(PATH, {"name": "x", "role": "agent", "approve_up_to": {}}).status == 422
    wrong = {"name": "x", "role": "approver", "approve_up_to": {"dollars": 1}}
    assert people.operator.post(PATH, wrong).json["errors"][0]["pointer"] == "/approve_up_to"
    assert people.operator.post(PATH, {"name": "x"}).json["errors"][0]["pointer"] == "/role"


def test_a_persons_membership_is_listed_and_revoked_and_has_no_secret_to_replace(
    people: People, world: World
) -> None:
    world.app.people.manage.create("hana", "Hana", None)
    draft = MembershipDraft("hana", Role.AGENT)
    membership, _ = world.app.people.grant(world.operator, draft, fresh_key())
    world.app.people.manage.disable("hana")
    shown = {one["id"]: one for one in people.operator.get(PATH).json["data"]}[membership.id]
    assert (shown["person"], shown["owner"]) == (membership.person, "hana")
    assert shown["suspended_at"] is not None
    assert people.operator.post(f"{PATH}/{membership.id}/rotate").code == "credential_keyless"
    revoked = people.operator.send("DELETE", f"{PATH}/{membership.id}").json
    assert revoked["revoked_at"] is not None
