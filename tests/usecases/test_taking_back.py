"""Undo: the approval that decided is taken back before anything was sent, and everything stands as before it."""

from collections.abc import Callable

import pytest

from governor.domain.admission import NextAction
from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Forbidden, GovernorError, NotFound
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.rules import a_rule
from tests.usecases.people import Staff


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    built = new_world(clock=True, undo_seconds=5)
    built.limit(10_000, approval_above=1000)
    return built


@pytest.fixture
def ben(world: World) -> Caller:
    return signed_in(world, "ben")


def signed_in(world: World, login: str) -> Caller:
    staff = Staff(world)
    staff.person(login, Role.APPROVER)
    return staff.caller(staff.sign_in(login), Role.APPROVER)


def held(world: World, amount: int = 1500) -> RefundRequest:
    return world.request(world.caller(), world.payment(5000), amount)


def undo(world: World, caller: Caller, request: RefundRequest, key: str | None = None) -> RefundRequest:
    return world.app.decide_hold.take_back(caller, request.hold or "", key or fresh_key("undo"))


def refused(world: World, caller: Caller, request: RefundRequest) -> tuple[type[GovernorError], str]:
    with pytest.raises(GovernorError) as refusal:
        undo(world, caller, request)
    return type(refusal.value), refusal.value.code


def test_an_approval_in_the_console_is_sent_when_its_time_to_think_is_over(world: World, ben: Caller) -> None:
    request = held(world)
    decided = world.decide(ben, request, Choice.APPROVE)
    assert decided.due_at is not None
    assert 4 < (decided.due_at - world.app.store.now()).total_seconds() <= 5
    assert world.drain(request) == 0
    world.advance(6)
    assert world.drain(request) == 1
    assert world.now(request).state is State.SUCCEEDED


def test_an_approval_by_a_key_is_sent_at_once(world: World) -> None:
    request = held(world)
    world.decide(world.approver(), request, Choice.APPROVE)
    assert world.drain(request) == 1


def test_what_is_taken_back_waits_again_and_keeps_its_capacity(world: World, ben: Caller) -> None:
    limit = world.limit(2000)
    request = held(world)
    decided = world.decide(ben, request, Choice.APPROVE)
    again = undo(world, ben, request)
    assert (again.state, again.next_action, again.due_at) == (
        State.PENDING_APPROVAL,
        NextAction.ASK_APPROVER,
        None,
    )
    assert (again.expires_at, again.hold_version) == (request.expires_at, decided.hold_version + 1)
    assert world.headroom(limit) == 500
    world.advance(60)
    assert world.drain(request) == 0, "its bell rings for nothing"
    assert world.writes() == []
    assert again.shown["taken_back"][0]["person"] == "ben"


def test_whoever_took_it_back_may_approve_it_after_all(world: World, ben: Caller) -> None:
    request = held(world)
    for _ in range(2):
        world.decide(ben, request, Choice.APPROVE)
        undo(world, ben, request)
    world.decide(ben, request, Choice.APPROVE)
    world.advance(6)
    assert world.drain(request) == 1
    assert [line["person"] for line in world.now(request).shown["taken_back"]] == ["ben", "ben"]


def test_who_approved_before_is_asked_anew(world: World, ben: Caller) -> None:
    """An approval counts for what it named: whoever thinks again may know what the others do not."""
    a_rule(world, quorum=2)
    request, zoe = held(world), signed_in(world, "zoe")
    world.decide(zoe, request, Choice.APPROVE)
    world.decide(ben, request, Choice.APPROVE)
    undo(world, ben, request)
    hold, _ = world.app.queries.hold(ben, request.hold or "")
    assert hold.approvals == frozenset()
    world.decide(ben, request, Choice.APPROVE)
    assert world.now(request).state is State.PENDING_APPROVAL
    assert world.decide(zoe, request, Choice.APPROVE).state is State.QUEUED


def test_only_who_decided_takes_it_back(world: World, ben: Caller) -> None:
    a_rule(world, quorum=2)
    request, zoe = held(world), signed_in(world, "zoe")
    world.decide(zoe, request, Choice.APPROVE)
    assert refused(world, zoe, request) == (Conflict, "not_taken_back"), "nothing is decided yet"
    world.decide(ben, request, Choice.APPROVE)
    for other in (zoe, world.approver()):
        assert refused(world, other, request) == (Conflict, "not_taken_back")
    for nobody in (world.operator, world.caller()):
        assert refused(world, nobody, request) == (Forbidden, "role_not_allowed")
    assert world.now(request).state is State.QUEUED


def test_nothing_is_taken_back_once_a_worker_has_had_it(world: World, ben: Caller) -> None:
    """Also when its call was proven not executed, and it waits in the queue again."""
    request = held(world)
    world.decide(ben, request, Choice.APPROVE)
    world.advance(6)
    (claim,) = world.app.dispatch_refund.claim("test", 1)
    assert refused(world, ben, request) == (Conflict, "not_taken_back")
    world.app.freeze_refunds.freeze(
        world.operator, FreezeDraft(Scope.ENVIRONMENT, None, "look"), fresh_key("freeze")
    )
    world.app.dispatch_refund.send(claim)
    assert (world.now(request).state, world.now(request).attempts) == (State.QUEUED, 1)
    assert refused(world, ben, request) == (Conflict, "not_taken_back")


@pytest.mark.parametrize("choice", [Choice.REJECT, Choice.RETURN])
def test_what_is_no_approval_is_not_taken_back(world: World, ben: Caller, choice: Choice) -> None:
    request = held(world)
    world.decide(ben, request, choice)
    assert refused(world, ben, request) == (Conflict, "not_taken_back")


def test_what_waits_for_nobody_has_no_hold_to_take_back(world: World, ben: Caller) -> None:
    assert refused(world, ben, held(world, 500)) == (NotFound, "hold_not_found")


def test_two_clicks_undo_once(world: World, ben: Caller) -> None:
    request, key = held(world), fresh_key("undo")
    world.decide(ben, request, Choice.APPROVE)
    undo(world, ben, request, key)
    assert undo(world, ben, request, key).state is State.PENDING_APPROVAL
    assert len(world.now(request).shown["taken_back"]) == 1


def test_what_was_given_back_by_approving_less_stays_given_back(world: World, ben: Caller) -> None:
    """Others may have taken the difference by then."""
    limit = world.limit(2000)
    request = held(world)
    world.decide(ben, request, Choice.APPROVE_LESS, amount=600)
    again = undo(world, ben, request)
    assert (again.state, again.amount_minor, again.asked_amount_minor) == (State.PENDING_APPROVAL, 600, 1500)
    assert world.headroom(limit) == 1400


def test_an_open_question_is_open_again(world: World, ben: Caller) -> None:
    request = held(world)
    world.decide(ben, request, Choice.RETURN)
    world.decide(ben, request, Choice.APPROVE)
    assert undo(world, ben, request).next_action is NextAction.ANSWER_QUESTION


def test_what_is_taken_back_after_its_time_has_expired(world: World, ben: Caller) -> None:
    """Nobody approves it in time any more, so its capacity is free by time alone."""
    limit = world.limit(2000)
    request = held(world)
    world.advance(world.approval_seconds - 2)
    world.decide(ben, request, Choice.APPROVE)
    world.advance(world.approval_seconds + 1)
    undo(world, ben, request)
    with pytest.raises(Conflict, match="hold_expired"):
        world.decide(ben, request, Choice.APPROVE)
    assert world.request(world.caller(), world.payment(5000), 900).state is State.QUEUED
    assert (world.now(request).state, world.headroom(limit)) == (State.EXPIRED, 1100)


def test_it_is_audited_with_who_did_it(world: World, ben: Caller) -> None:
    request = held(world)
    world.decide(ben, request, Choice.APPROVE)
    undo(world, ben, request)
    with world.app.store.reading() as reads:
        rows = [row.entry for row in reads.audit("test", after=0, at_most=1000)]
    (entry,) = [one for one in rows if one.action == "hold.taken_back"]
    assert entry.object == request.id
    facts = entry.facts
    assert (facts["person"], facts["from"], facts["to"]) == ("ben", "queued", "pending_approval")
