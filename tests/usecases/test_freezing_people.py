"""Who freezes and who lets go: one person stops, two start again (RELIABILITY T46)."""

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Unauthenticated
from governor.domain.limits import Scope
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.freezing import freeze, say_go, unfreeze
from tests.made_keys import made


def test_only_people_who_operate_freeze_and_only_two_of_them_unfreeze(world: World) -> None:
    """RELIABILITY T46; enforced here, whatever the surface let through."""
    draft = FreezeDraft(Scope.ENVIRONMENT, None, "why")
    for role in set(Role) - {Role.OPERATOR}:
        with pytest.raises(Forbidden) as refused:
            world.app.freeze_refunds.freeze(world.caller(role, role.value), draft, fresh_key())
        assert refused.value.code == "role_not_allowed"
    robot = world.caller(Role.OPERATOR, "robot", kind=Kind.PROGRAM)
    frozen, _ = world.app.freeze_refunds.freeze(robot, draft, fresh_key())
    with pytest.raises(Forbidden) as program:
        say_go(world, robot, frozen)
    assert program.value.code == "unfreeze_needs_human"
    say_go(world, world.operator, frozen)
    owner = world.operator.credential.owner
    with pytest.raises(Conflict) as alone:
        say_go(world, world.caller(Role.OPERATOR, "again", kind=Kind.HUMAN, owner=owner), frozen)
    assert alone.value.code == "second_person_needed"
    gone = world.caller(Role.OPERATOR, "gone", kind=Kind.HUMAN)
    world.app.manage_credentials.revoke(world.operator, gone.credential.id)
    with pytest.raises(Unauthenticated):
        say_go(world, gone, frozen)
    assert world.app.queries.environment(world.operator).frozen_reason == "why"


def test_nobody_unfreezes_alone_with_a_key_made_in_another_name(world: World) -> None:
    frozen = freeze(world)
    say_go(world, world.operator, frozen)
    with pytest.raises(Conflict, match="second_person_needed"):
        say_go(world, made(world, world.operator, Role.OPERATOR, "puppet"), frozen)
    assert world.app.queries.environment(world.operator).frozen_reason is not None
    say_go(world, world.caller(Role.OPERATOR, "other", kind=Kind.HUMAN), frozen)
    assert world.app.queries.environment(world.operator).frozen_reason is None


def test_whoever_says_stop_again_is_heard(world: World) -> None:
    frozen = freeze(world)
    say_go(world, world.operator, frozen)
    again = freeze(world)
    assert (again.id, again.proposed) == (frozen.id, None)
    unfreeze(world, frozen)
    with pytest.raises(Conflict) as nothing:
        say_go(world, world.operator, frozen)
    assert nothing.value.code == "not_frozen"
    assert freeze(world).id != frozen.id, "a later freeze is another one"


def test_a_repeated_word_counts_once(world: World) -> None:
    """The same key again is answered: it proposes nothing and ends nothing a second time."""
    draft, key = FreezeDraft(Scope.ENVIRONMENT, None, "why"), fresh_key()
    first, replayed = world.app.freeze_refunds.freeze(world.operator, draft, key)
    assert not replayed
    unfreeze(world, first)
    again, replayed = world.app.freeze_refunds.freeze(world.operator, draft, key)
    assert replayed
    assert (again.id, again.ended is not None) == (first.id, True)
    assert world.app.queries.freezes(world.operator) == ()


def test_an_unfreeze_rings_for_what_waits(world: World) -> None:
    world.limit(5000)
    request = world.request(world.caller(), world.payment(), 1000)
    world.app.outbox.ring_due(lambda _: None)
    frozen = freeze(world)
    rung: list[str] = []
    world.app.outbox.ring_due(rung.append)
    assert rung == []
    unfreeze(world, frozen)
    world.app.outbox.ring_due(rung.append)
    assert rung == [request.id]


def test_who_froze_who_let_go_and_why_is_in_the_trail(world: World) -> None:
    frozen = freeze(world)
    unfreeze(world, frozen)
    with world.app.store.reading() as reads:
        trail = [row.entry for row in reads.audit(world.environment, after=0, at_most=100)]
    said = [(one.action, one.facts["person"], one.facts["why"]) for one in trail if one.object == frozen.id]
    assert said == [
        ("freeze.began", "owner of operator", "too many refunds"),
        ("freeze.end_proposed", "owner of operator", "the fault is found"),
        ("freeze.ended", f"owner of second for {frozen.id}", "the fault is found"),
    ]
