"""Agents as those see them who may: overseers all, and people those whose keys they answer for."""

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.usecases.callers import Caller
from tests.builders import World
from tests.usecases.people import Staff
from tests.usecases.test_delegation import child_of


def signed_in(world: World, login: str) -> Caller:
    """Somebody who signs in, and may ask for refunds."""
    staff = Staff(world)
    return staff.caller(staff.sign_in(staff.person(login, Role.AGENT)), Role.AGENT)


def names(world: World, caller: Caller) -> list[str]:
    return [one.name for one in world.app.see_agents.all(caller)]


def test_an_agent_is_all_its_keys_with_what_they_asked_for(world: World) -> None:
    world.limit(100_000, approval_above=1000)
    first = world.caller(name="first", agent="bot", owner="ana")
    second = world.caller(name="second", agent="bot", owner="ben")
    child = child_of(world, first)
    world.caller(name="other", agent="another")
    asked = [
        world.request(first, world.payment(5000), 100),
        world.request(child, world.payment(5000), 1500),
        world.request(second, world.payment(5000), 200),
    ]
    world.drain(asked[0])
    world.decide(world.approver(), asked[1], Choice.REJECT)
    seen = world.app.see_agents.one(world.operator, second.credential.id)
    assert (seen.agent.name, seen.agent.owners) == ("bot", ("ana", "ben"))
    assert [(one.depth, one.credential.name, one.lives) for one in seen.agent.keys] == [
        (0, "first", True),
        (1, "child", True),
        (0, "second", True),
    ]
    assert [one.name for one in seen.agent.topmost] == ["first", "second"]
    assert seen.record.states == {State.SUCCEEDED: 2, State.REJECTED: 1}
    assert (dict(seen.record.refunded), seen.record.whole) == ({"usd": 300}, True)
    assert [one.id for one in seen.requests] == [one.id for one in reversed(asked)]
    assert seen.limits.about.agent == "bot"
    assert names(world, world.operator) == ["another", "bot"]


def test_a_key_below_a_dead_one_is_dead_and_ends_nothing_more(world: World) -> None:
    parent = world.caller(agent="bot")
    child = child_of(world, parent)
    world.app.manage_credentials.revoke(world.operator, parent.credential.id)
    agent = world.app.see_agents.of_key(world.operator, child.credential.id)
    assert (agent.alive, agent.topmost) == ((), ())


def test_what_is_set_for_keys_of_an_agent_is_told_with_what_limits_leave_it(world: World) -> None:
    world.limit(100_000)
    parent = world.caller(name="parent", agent="bot")
    child = child_of(world, parent, "child")
    dead, other = world.caller(name="dead", agent="bot"), world.caller(name="other", agent="another")
    theirs = [
        world.limit(cap, scope=Scope.CREDENTIAL, value=key.credential.id)
        for key, cap in ((parent, 2000), (child, 500), (dead, 30), (other, 40))
    ]
    world.limit(10, scope=Scope.CUSTOMER, value="cus_9")
    world.app.manage_credentials.revoke(world.operator, dead.credential.id)
    (usd,) = world.app.see_agents.one(world.operator, child.credential.id).limits.currencies
    assert [one.id for one in usd.unnamed] == [one.id for one in theirs[:2]]
    assert (usd.most_minor, usd.single) == (100_000, 1), "of the customer"


def test_somebody_who_signs_in_sees_and_ends_the_keys_they_answer_for_and_no_others(world: World) -> None:
    zoe = signed_in(world, "zoe")
    theirs = world.caller(name="bot", agent="bot", owner="zoe")
    below = child_of(world, theirs)
    other = world.caller(name="stranger", agent="stranger")
    assert names(world, zoe) == ["bot"]
    known = [one.id for _, one in world.app.queries.credentials(zoe)]
    assert known == sorted([zoe.credential.id, theirs.credential.id, below.credential.id])
    for look in (world.app.see_agents.one, world.app.manage_credentials.revoke):
        with pytest.raises(NotFound):
            look(zoe, other.credential.id)
    with pytest.raises(NotFound):
        world.app.see_agents.one(zoe, zoe.credential.id)
    world.app.manage_credentials.revoke(zoe, theirs.credential.id, "it was leaked")
    assert world.app.see_agents.of_key(zoe, below.credential.id).alive == ()


def test_no_key_knows_or_ends_another_key_of_its_person(world: World) -> None:
    """Whoever stole one could otherwise end all of them, and the person's own way in."""
    zoe = signed_in(world, "zoe")
    stolen = world.caller(name="stolen", owner="zoe")
    other = world.caller(name="other", owner="zoe")
    assert names(world, stolen) == ["stolen"]
    for target in (other, zoe):
        with pytest.raises(NotFound):
            world.app.manage_credentials.revoke(stolen, target.credential.id)
