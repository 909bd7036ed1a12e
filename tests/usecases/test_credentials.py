"""Keys: replaced with an overlap, revoked with what they asked for, and never a way to more power."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from governor.domain.lifecycle import State
from governor.domain.resolutions import Ending
from governor.domain.seen import AsSeen
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.credential_drafts import LONGEST_OVERLAP, CredentialDraft
from tests.builders import World, fresh_key, limit_draft
from tests.fakes.provider import FakeProvider

HOUR = timedelta(hours=1)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """A world with a clock and a provider in memory."""
    return new_world(provider=FakeProvider(), clock=True)


def rotate(world: World, by: Caller, credential: str, overlap: timedelta = HOUR) -> str:
    key = world.app.manage_credentials.rotate(by, credential, overlap, fresh_key("rotate"))[1]
    assert key is not None
    return key


def refuses(world: World, key: str) -> bool:
    try:
        world.app.authenticate(key)
    except Unauthenticated:
        return True
    return False


def test_a_replaced_secret_opens_for_the_overlap_and_not_longer(world: World) -> None:
    """RELIABILITY I10."""
    old = world.key()
    agent = world.app.authenticate(old)
    new = rotate(world, world.operator, agent.credential.id)
    assert world.app.authenticate(new).credential.id == agent.credential.id
    assert (world.app.authenticate(old).superseded, world.app.authenticate(new).superseded) == (True, False)
    world.advance(3599)
    assert not refuses(world, old)
    world.advance(3600 + 60)
    assert (refuses(world, old), refuses(world, new)) == (True, False)


def test_two_rotations_leave_two_secrets_and_none_of_three(world: World) -> None:
    first = world.key()
    agent = world.app.authenticate(first).credential.id
    second = rotate(world, world.operator, agent)
    third = rotate(world, world.operator, agent)
    assert [refuses(world, key) for key in (first, second, third)] == [True, False, False]
    now = rotate(world, world.operator, agent, timedelta(0))
    assert [refuses(world, key) for key in (second, third, now)] == [True, True, False]


def test_a_replaced_secret_gets_itself_no_other(world: World) -> None:
    """Who stole the old secret could otherwise outlive the overlap: by a rotation, or by a child."""
    old = world.key()
    agent = world.app.authenticate(old)
    rotate(world, world.operator, agent.credential.id)
    thief = world.app.authenticate(old)
    with pytest.raises(Forbidden) as rotating:
        world.app.manage_credentials.rotate(thief, agent.credential.id, HOUR, fresh_key())
    with pytest.raises(Forbidden) as making:
        world.app.manage_credentials.create(thief, CredentialDraft("child", None), fresh_key())
    assert (rotating.value.code, making.value.code) == ("credential_superseded",) * 2


def test_a_replaced_secret_dies_with_its_key(world: World) -> None:
    old = world.key()
    agent = world.app.authenticate(old).credential.id
    new = rotate(world, world.operator, agent)
    world.app.manage_credentials.revoke(world.operator, agent, "leaked")
    assert (refuses(world, old), refuses(world, new)) == (True, True)
    with pytest.raises(Conflict) as dead:
        world.app.manage_credentials.rotate(world.operator, agent, HOUR, fresh_key())
    assert dead.value.code == "credential_dead"


def test_a_repeated_rotation_is_one_and_shows_its_secret_once(world: World) -> None:
    agent, key = world.caller(), fresh_key("rotate")
    asked = (world.operator, agent.credential.id, HOUR, key)
    first, repeated = (world.app.manage_credentials.rotate(*asked) for _ in range(2))
    assert (first[1] is None, repeated[1], repeated[2]) == (False, None, True)
    assert repeated[0].rotated_at == first[0].rotated_at
    with pytest.raises(Invalid):
        world.app.manage_credentials.rotate(world.operator, agent.credential.id, 2 * HOUR, key)


@pytest.mark.parametrize("overlap", [-HOUR, LONGEST_OVERLAP + timedelta(seconds=1)])
def test_an_overlap_ends(world: World, overlap: timedelta) -> None:
    with pytest.raises(Invalid):
        world.app.manage_credentials.rotate(
            world.operator, world.caller().credential.id, overlap, fresh_key()
        )


def test_nobody_learns_the_secret_of_somebody_with_another_power(world: World) -> None:
    approver, second = world.approver(), world.caller(Role.OPERATOR, "second", kind=Kind.HUMAN)
    agent = world.caller()
    for who, whose, code in (
        (world.operator, approver, "credential_not_yours"),
        (world.operator, second, "credential_not_yours"),
        (agent, approver, "credential_not_found"),
        (agent, world.caller(name="other agent"), "credential_not_found"),
        (approver, agent, "credential_not_found"),
    ):
        with pytest.raises((Forbidden, NotFound)) as refused:
            world.app.manage_credentials.rotate(who, whose.credential.id, HOUR, fresh_key())
        assert refused.value.code == code
    for who, whose in ((world.operator, agent), (approver, approver), (host(world.environment), second)):
        assert rotate(world, who, whose.credential.id)


def test_a_revoked_key_takes_along_what_it_asked_for(world: World) -> None:
    """RELIABILITY T7, B15: canceled at once and not only when a worker comes, waiting for people or not."""
    limit = world.limit(100_000, approval_above=1000)
    agent, other = world.caller(), world.caller(name="other")
    queued = [world.request(agent, world.payment(), 100) for _ in range(3)]
    waits = world.request(agent, world.payment(), 2000)
    stays = world.request(other, world.payment(), 100)
    approver = world.approver()
    revoked = world.app.manage_credentials.revoke(world.operator, agent.credential.id, "runaway")
    assert revoked.revoked_reason == "runaway"
    assert {world.now(one).state for one in [*queued, waits]} == {State.CANCELED}
    assert (world.headroom(limit), world.now(stays).state) == (100_000 - 100, State.QUEUED)
    with pytest.raises(Conflict) as late:
        world.decide(approver, waits, Choice.APPROVE)
    assert late.value.code == "hold_already_decided"
    again = world.app.manage_credentials.revoke(world.operator, agent.credential.id, "another reason")
    assert again == revoked, "what is revoked stays as it is"


def test_a_key_is_used_at_some_minute(world: World) -> None:
    key = world.key()
    caller = world.app.authenticate(key)
    assert caller.credential.last_used_at is None
    assert (world.app.note_use.due(caller), world.app.note_use.due(caller)) == (True, False)
    world.app.note_use(caller)
    used = world.app.authenticate(key).credential.last_used_at
    assert used is not None
    assert (used.second, used.microsecond) == (0, 0)
    assert world.app.store.now() - used < timedelta(minutes=2)


def test_an_approver_approves_up_to_their_own_amount_and_rejects_any(world: World) -> None:
    world.limit(100_000, approval_above=0)
    agent = world.caller()
    draft = CredentialDraft("small", Role.APPROVER, approve_up_to={"usd": 1000})
    small = world.app.authenticate(world.app.manage_credentials.found(world.environment, draft)[1])
    assert small.credential.approve_up_to == {"usd": 1000}
    little, much, no = (world.request(agent, world.payment(), amount) for amount in (1000, 1001, 1002))
    assert world.decide(small, little, Choice.APPROVE).state is State.QUEUED
    with pytest.raises(Forbidden) as above:
        world.decide(small, much, Choice.APPROVE)
    assert (above.value.code, above.value.extra) == ("above_own_limit", {"approve_up_to": 1000})
    assert world.decide(small, no, Choice.REJECT).state is State.REJECTED
    assert world.decide(world.approver(), much, Choice.APPROVE).state is State.QUEUED


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.APPROVER}))
def test_nobody_approves_by_being_something_else(world: World, role: Role) -> None:
    """Enforced in the use case: an operator is no approver, whatever the surface let through."""
    world.limit(5000, approval_above=0)
    waits = world.request(world.caller(), world.payment(), 100)
    somebody = world.caller(role, f"a {role}", kind=Kind.HUMAN)
    for choice in Choice:
        with pytest.raises(Forbidden) as refused:
            world.decide(somebody, waits, choice, amount=50 if choice is Choice.APPROVE_LESS else None)
        assert refused.value.code == "role_not_allowed"
    with pytest.raises(Forbidden):
        world.decide(host(world.environment), waits, Choice.APPROVE)
    assert world.now(waits).state is State.PENDING_APPROVAL


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.OPERATOR}))
def test_only_an_operator_changes_limits_the_environment_or_what_is_in_doubt(
    world: World, role: Role
) -> None:
    """Enforced in the use cases, and by who the caller is inside the transaction: a revoked operator is none."""
    limit = world.limit(5000)
    somebody = world.caller(role, f"a {role}", kind=Kind.HUMAN)
    gone = world.caller(Role.OPERATOR, "gone", kind=Kind.HUMAN)
    world.app.manage_credentials.revoke(world.operator, gone.credential.id)
    settings = EnvironmentDraft(Mode.OBSERVE, 1, 60)
    request = world.request(world.caller(), world.payment(), 100)
    for who, refusal in ((somebody, Forbidden), (gone, Unauthenticated)):
        deeds: list[Callable[[], object]] = [
            partial(world.app.change_limit.create, who, limit_draft(1), fresh_key()),
            partial(world.app.change_limit.update, who, limit.id, limit_draft(9000), AsSeen(1)),
            partial(world.app.change_limit.archive, who, limit.id, AsSeen(1)),
            partial(world.app.change_environment, who, settings, 1),
            partial(world.app.change_environment.acknowledge, who, "fine"),
            partial(world.app.resolve_unknown, who, request.id, Ending.FAILED, "it is so", fresh_key()),
        ]
        for deed in deeds:
            with pytest.raises(refusal):
                deed()
    assert world.app.queries.limits(world.operator) == (limit,)
    assert world.app.queries.environment(world.operator).mode is Mode.ENFORCE
