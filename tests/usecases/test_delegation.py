"""Children of agents: they charge all their ancestors, do no more, and die with them, wherever their refund is."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.delegation import MOST_BELOW
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.ports.provider import RefundOrder
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, fresh_key, limit_draft
from tests.fakes.provider import FakeProvider


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def world(new_world: Callable[..., World], provider: FakeProvider) -> World:
    """A world with a clock and a provider in memory."""
    return new_world(provider=provider, clock=True)


def child_of(world: World, parent: Caller, name: str = "child", cap: int | None = None) -> Caller:
    """A child, with a cap of its own or without."""
    caps = () if cap is None else (limit_draft(cap, scope=Scope.CREDENTIAL),)
    draft = CredentialDraft(name, None, caps=caps)
    _, key, _ = world.app.manage_credentials.create(parent, draft, fresh_key("child"))
    assert key is not None
    return world.app.authenticate(key)


def test_a_child_is_a_narrower_parent(world: World) -> None:
    parent = world.caller(name="parent", owner="ana", agent="bot")
    child = child_of(world, parent).credential
    assert (child.role, child.kind, child.owner, child.agent, child.parent) == (
        Role.AGENT,
        Kind.PROGRAM,
        "ana",
        "bot",
        parent.credential.id,
    )


def test_a_family_cannot_outspend_its_root(world: World) -> None:
    """Invariant 13: every ancestor's own limit counts what its children ask for, and so does the agent's."""
    world.limit(100_000)
    parent = world.caller(name="parent")
    mine = world.limit(3000, scope=Scope.CREDENTIAL, value=parent.credential.id)
    child = child_of(world, parent, cap=2000)
    kid = child_of(world, child, "kid", cap=1500)
    assert world.request(kid, world.payment(), 1501).denial == "limit_exceeded"
    assert world.request(kid, world.payment(), 1500).state is State.QUEUED
    assert world.request(child, world.payment(), 501).denial == "limit_exceeded"
    assert world.request(child, world.payment(), 500).state is State.QUEUED
    assert world.request(child_of(world, parent, "sister"), world.payment(), 1001).denial == "limit_exceeded"
    assert world.request(parent, world.payment(), 1000).state is State.QUEUED
    assert world.headroom(mine, parent.credential.id) == 0
    assert world.request(child_of(world, parent, "late"), world.payment(), 1).denial == "limit_exceeded"


def test_a_new_child_is_no_fresh_allowance_of_its_agent(world: World) -> None:
    world.limit(100_000)
    world.limit(1000, scope=Scope.AGENT)
    parent = world.caller(name="parent", agent="bot")
    assert world.request(parent, world.payment(), 1000).state is State.QUEUED
    assert world.request(child_of(world, parent), world.payment(), 1).denial == "limit_exceeded"


@pytest.mark.parametrize("how", ["revoked", "expired"])
@pytest.mark.parametrize("who", ["parent", "root", "itself"])
def test_a_dead_ancestor_stops_the_child_wherever_its_refund_is(
    world: World, provider: FakeProvider, how: str, who: str
) -> None:
    """RELIABILITY I9 at A, B, C, D: nothing is sent, and what was held is free. (E: the tests below.)"""
    limit = world.limit(100_000, approval_above=4000)
    ends = world.app.store.now() + timedelta(seconds=30)
    draft = CredentialDraft("root", Role.AGENT, expires_at=ends if how == "expired" else None)
    root = world.app.authenticate(world.app.manage_credentials.found(world.environment, draft)[1])
    parent = child_of(world, root, "parent")
    child = child_of(world, parent)
    waits = world.request(child, world.payment(), 4500)
    claimed = world.request(child, world.payment(), 300)
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    queued = world.request(child, world.payment(), 200)
    assert claim.request.id == claimed.id
    if how == "revoked":
        dead = {"root": root, "parent": parent, "itself": child}[who]
        world.app.manage_credentials.revoke(world.operator, dead.credential.id)
    else:
        world.advance(31)
    with pytest.raises(Unauthenticated):
        world.request(child, world.payment(), 100)
    with pytest.raises(Unauthenticated):
        child_of(world, child, "heir")
    world.app.dispatch_refund.send(claim)
    if world.now(waits).state is State.PENDING_APPROVAL:
        world.decide(world.approver(), waits, Choice.APPROVE)
    world.advance(700)
    assert world.drain(queued) == 0
    assert {world.now(one).state for one in (waits, claimed, queued)} == {State.CANCELED}
    assert (provider.orders, world.headroom(limit)) == ([], 100_000)


def test_a_call_on_the_wire_is_booked_though_its_parent_dies_meanwhile(
    world: World, provider: FakeProvider
) -> None:
    """RELIABILITY I9 at E: what has left is evidence, whoever is dead by then."""
    limit = world.limit(100_000)
    parent = world.caller(name="parent")
    request = world.request(child_of(world, parent), world.payment(), 300)

    def meanwhile(_: RefundOrder) -> None:
        world.app.manage_credentials.revoke(world.operator, parent.credential.id)

    provider.before_call = meanwhile
    assert world.drain(request) == 1
    assert (world.now(request).state, world.headroom(limit)) == (State.SUCCEEDED, 100_000 - 300)


def _in_doubt(world: World, provider: FakeProvider, child: Caller) -> RefundRequest:
    request = world.request(child, world.payment(), 300)
    provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
    world.drain(request)
    assert world.now(request).state is State.UNKNOWN
    return request


def test_a_request_in_doubt_of_a_dead_parent_is_read_and_never_sent_again(
    world: World, provider: FakeProvider
) -> None:
    limit = world.limit(100_000)
    parent = world.caller(name="parent")
    request = _in_doubt(world, provider, child_of(world, parent))
    world.app.manage_credentials.revoke(world.operator, parent.credential.id)
    for seconds in (60, 600, 6000, 60_000):
        world.advance(seconds)
        world.app.recover_refund(world.environment)
    assert len(provider.orders) == 1
    assert (world.now(request).state, world.headroom(limit)) == (State.UNKNOWN, 100_000 - 300)


def test_only_agents_delegate(world: World) -> None:
    for role in (Role.APPROVER, Role.AUDITOR):
        somebody = world.caller(role, role.value, kind=Kind.HUMAN)
        with pytest.raises(Forbidden) as refused:
            world.app.manage_credentials.create(somebody, CredentialDraft("x", Role.AGENT), fresh_key())
        assert refused.value.code == "role_not_allowed"


@pytest.mark.parametrize(
    "wider",
    [
        CredentialDraft("x", Role.OPERATOR),
        CredentialDraft("x", Role.APPROVER),
        CredentialDraft("x", None, owner="somebody else"),
        CredentialDraft("x", None, agent="another agent"),
        CredentialDraft("x", None, kind=Kind.HUMAN),
        CredentialDraft("x", None, approve_up_to={"usd": 5}),
        CredentialDraft("x", None, caps=(limit_draft(5, scope=Scope.CREDENTIAL),) * 5),
    ],
)
def test_a_wider_wish_makes_nothing(world: World, wider: CredentialDraft) -> None:
    parent = world.caller(name="parent")
    before = world.app.queries.credentials(world.operator)
    with pytest.raises((Invalid, Forbidden)):
        world.app.manage_credentials.create(parent, wider, fresh_key())
    assert world.app.queries.credentials(world.operator) == before
    assert world.app.queries.limits(world.operator) == ()


def test_an_agent_sees_and_ends_what_is_below_it_and_nothing_else(world: World) -> None:
    parent, stranger = world.caller(name="parent"), world.caller(name="stranger")
    child = child_of(world, parent)
    kid = child_of(world, child, "kid")
    names = [(depth, one.name) for depth, one in world.app.queries.credentials(parent)]
    assert names == [(0, "parent"), (1, "child"), (2, "kid")]
    assert [one.name for _, one in world.app.queries.credentials(kid)] == ["kid"]
    for who, whose in ((stranger, child), (child, parent), (parent, stranger), (kid, child)):
        with pytest.raises(NotFound):
            world.app.manage_credentials.revoke(who, whose.credential.id)
    world.app.manage_credentials.revoke(parent, child.credential.id, "done")
    with pytest.raises(Unauthenticated):
        world.request(kid, world.payment(), 1)
    world.app.manage_credentials.revoke(stranger, stranger.credential.id)


def test_short_lived_children_leave_no_heap_of_limits(world: World) -> None:
    """Each decision reads every limit: those of dead children are archived when the next one is born."""
    world.limit(100_000)
    parent = world.caller(name="parent")
    for n in range(3):
        child = child_of(world, parent, f"child {n}", cap=500)
        held = world.request(child, world.payment(), 400)
        world.drain(held)
        world.app.manage_credentials.revoke(parent, child.credential.id)
    alive = child_of(world, parent, "the last", cap=500)
    caps = [one for one in world.app.queries.limits(world.operator) if one.scope is Scope.CREDENTIAL]
    assert [one.value for one in caps] == [alive.credential.id]


def test_a_family_has_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_BELOW >= 100
    monkeypatch.setattr("governor.usecases.delegation_room.MOST_BELOW", 3)
    parent = world.caller(name="parent")
    children = [child_of(world, parent, f"child {n}") for n in range(2)]
    last = child_of(world, children[0], "grandchild")
    for who in (parent, children[1]):
        with pytest.raises(Conflict) as full:
            child_of(world, who, "one more")
        assert full.value.code == "too_many_children"
    world.app.manage_credentials.revoke(parent, last.credential.id)
    assert child_of(world, parent, "in its place").credential.name == "in its place"
