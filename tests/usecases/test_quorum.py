"""A quorum is of people, not of keys: nobody approves twice with the keys of two (invariant 14)."""

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.errors import Conflict
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from tests.builders import World
from tests.made_keys import made
from tests.rules import a_rule


def _waits_for_two(world: World) -> RefundRequest:
    world.limit(2000, approval_above=0)
    a_rule(world, quorum=2)
    return world.request(world.caller(), world.payment(5000), 1500)


def _is_no_second_person(world: World, approver: Caller, waits: RefundRequest) -> None:
    """Neither by the whole nor by less of it; and the desk says so, to them and to whoever looks for another one."""
    for choice, amount in ((Choice.APPROVE, None), (Choice.APPROVE_LESS, 900)):
        with pytest.raises(Conflict) as refused:
            world.decide(approver, waits, choice, amount=amount)
        assert refused.value.code == "second_person_needed"
    case = world.app.approval_desk.to_decide(approver, waits.hold or "")
    assert case.waiting.why_not == "second_person_needed"
    assert approver.credential.owner not in case.may_approve
    assert [one.why_not for one in world.app.approval_desk.waiting(approver)] == ["second_person_needed"]
    assert world.now(waits).state is State.PENDING_APPROVAL


def test_an_operator_is_no_quorum_with_keys_made_in_two_peoples_names(world: World) -> None:
    waits = _waits_for_two(world)
    ann, ben = (made(world, world.operator, Role.APPROVER, name) for name in ("ann", "ben"))
    assert world.decide(ann, waits, Choice.APPROVE).state is State.PENDING_APPROVAL
    _is_no_second_person(world, ben, waits)
    _is_no_second_person(world, world.approver("eve", owner=world.operator.credential.owner), waits)
    zoe = world.approver("zoe")
    assert world.app.approval_desk.to_decide(zoe, waits.hold or "").may_approve == (zoe.credential.owner,)
    assert world.decide(zoe, waits, Choice.APPROVE).state is State.QUEUED


def test_two_keys_of_one_person_are_one_vote(world: World) -> None:
    waits = _waits_for_two(world)
    first, second = (world.approver(name, owner="ann") for name in ("anns", "anns-other"))
    assert world.decide(first, waits, Choice.APPROVE).state is State.PENDING_APPROVAL
    with pytest.raises(Conflict, match="hold_already_decided"):
        world.decide(second, waits, Choice.APPROVE)
    assert world.now(waits).state is State.PENDING_APPROVAL


def test_whoever_could_have_approved_may_still_say_no(world: World) -> None:
    waits = _waits_for_two(world)
    ann, ben = (made(world, world.operator, Role.APPROVER, name) for name in ("ann", "ben"))
    world.decide(ann, waits, Choice.APPROVE)
    assert world.decide(ben, waits, Choice.REJECT).state is State.REJECTED
