"""What approvers say of holds without deciding them: who looks, what is snoozed, what is escalated."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from governor.domain.approval import Choice
from governor.domain.attention import Attention
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Forbidden, GovernorError, Invalid, NotFound
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.records import TrailFilter
from governor.usecases.callers import Caller
from governor.usecases.hold_attention import HoldAttention
from governor.usecases.waiting_holds import Waiting
from tests.builders import World, fresh_key

HOUR = 3600


@pytest.fixture
def clocked(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True, approval_seconds=72 * HOUR)
    world.limit(10_000_000, approval_above=1000)
    return world


@pytest.fixture
def attention(clocked: World) -> HoldAttention:
    return clocked.app.approval_desk.attention


@pytest.fixture
def ana(clocked: World) -> Caller:
    return clocked.approver("ana", owner="ana")


@pytest.fixture
def bo(clocked: World) -> Caller:
    return clocked.approver("bo", owner="bo")


@pytest.fixture
def held(clocked: World) -> Callable[..., RefundRequest]:
    agent = clocked.caller()
    return lambda amount=1500: clocked.request(agent, clocked.payment(50_000), amount)


def seen(world: World, caller: Caller, request: RefundRequest) -> Waiting:
    return next(one for one in world.app.approval_desk.waiting(caller) if one.request.id == request.id)


def looker(world: World, caller: Caller, request: RefundRequest) -> str | None:
    found = seen(world, caller, request).attention.looker
    return None if found is None else found.person


def test_everybody_sees_who_looks_until_the_time_is_over(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    attention.look(ana, request.hold or "")
    assert {looker(clocked, one, request) for one in (ana, bo)} == {"ana"}
    clocked.advance(299)
    assert looker(clocked, bo, request) == "ana"
    assert attention.look(bo, request.hold or "").person == "ana", "she is still looking"
    clocked.advance(301)
    assert looker(clocked, bo, request) is None
    assert attention.look(bo, held().hold or "").person == "bo"
    with clocked.app.engine.connect() as connection:
        kept = connection.execute(text("SELECT hold, person FROM lookers")).all()
    assert [person for _, person in kept] == ["bo"], "what is over is removed by the next"
    assert attention.look(bo, request.hold or "").person == "bo"


def test_saying_it_again_makes_it_longer(
    clocked: World, attention: HoldAttention, ana: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    attention.look(ana, request.hold or "")
    clocked.advance(200)
    attention.look(ana, request.hold or "")
    clocked.advance(450)
    assert looker(clocked, ana, request) == "ana"


def test_who_lets_go_makes_room_for_themselves_only(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    attention.look(ana, request.hold or "")
    attention.let_go(bo, request.hold or "")
    assert looker(clocked, bo, request) == "ana"
    attention.let_go(ana, request.hold or "")
    assert looker(clocked, bo, request) is None


def test_looking_keeps_nobody_from_deciding_and_ends_with_ones_own_decision(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    request, other = held(), held()
    attention.look(ana, request.hold or "")
    attention.look(ana, other.hold or "")
    clocked.decide(bo, other, Choice.APPROVE)
    assert clocked.now(other).state is State.QUEUED
    clocked.decide(ana, request, Choice.RETURN)
    assert looker(clocked, bo, request) is None
    assert attention.look(bo, request.hold or "").person == "bo"


def test_what_is_snoozed_waits_for_the_others_and_comes_back(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    attention.snooze(ana, request.hold or "", "an_hour")
    assert not seen(clocked, ana, request).for_me
    assert seen(clocked, bo, request).for_me
    clocked.advance(HOUR + 1)
    assert seen(clocked, ana, request).for_me
    attention.snooze(ana, request.hold or "", "a_day")
    attention.snooze(ana, request.hold or "", "four_hours")
    attention.wake(ana, request.hold or "")
    assert seen(clocked, ana, request).for_me


def test_nothing_is_snoozed_until_it_is_too_late(
    clocked: World, attention: HoldAttention, ana: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    clocked.advance(70 * HOUR)
    attention.snooze(ana, request.hold or "", "an_hour")
    for length in ("four_hours", "a_week"):
        with pytest.raises(Invalid) as refusal:
            attention.snooze(ana, request.hold or "", length)
        assert refusal.value.errors[0].pointer == "/length"
    until = seen(clocked, ana, request).attention.snoozed_until
    assert until is not None
    assert until - clocked.app.store.now() <= timedelta(hours=1)


def test_what_is_escalated_stands_first_with_the_words_of_whoever_did_it(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    small, large = held(1500), held(45_000)
    key = fresh_key("escalation")
    attention.snooze(bo, small.hold or "", "a_day")
    for _ in range(2):
        attention.escalate(ana, small.hold or "", None, "It smells.", key)
    waiting = clocked.app.approval_desk.waiting(bo)
    assert [one.request.id for one in waiting if one.for_me] == [small.id, large.id], (
        "also who had snoozed it"
    )
    (call,) = waiting[0].attention.escalations
    assert (call.person, call.to, call.reason) == ("ana", None, "It smells.")
    chosen = TrailFilter(actions=("refund_request.escalated",))
    with clocked.app.store.reading() as reads:
        (told,) = reads.audit(clocked.environment, after=0, at_most=50, chosen=chosen)
    assert (told.entry.object, told.entry.facts["called"]) == (small.id, None)
    assert "smells" not in str(told.entry.facts), "words of people are not in the trail"


def test_a_call_names_somebody_else_who_may_approve_it_and_each_only_once(
    clocked: World, attention: HoldAttention, ana: Caller, bo: Caller, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    attention.escalate(ana, request.hold or "", bo.credential.owner, "You know them.", fresh_key("call"))
    for to, code in (
        ("bo", "called_already"),
        ("ana", "oneself"),
        ("nobody", "cannot_approve"),
        (request.person, "cannot_approve"),
    ):
        with pytest.raises(Invalid) as refusal:
            attention.escalate(ana, request.hold or "", to, "Again.", fresh_key("call"))
        assert [(one.pointer, one.code) for one in refusal.value.errors] == [("/to", code)]
    with pytest.raises(Invalid):
        attention.escalate(ana, request.hold or "", None, " \u200b", fresh_key("call"))
    assert len(seen(clocked, bo, request).attention.escalations) == 1


def deeds(attention: HoldAttention) -> dict[str, Callable[[Caller, str], object]]:
    return {
        "look": attention.look,
        "snooze": lambda caller, hold: attention.snooze(caller, hold, "an_hour"),
        "escalate": lambda caller, hold: attention.escalate(caller, hold, None, "Look!", fresh_key("call")),
    }


@pytest.fixture
def refused(attention: HoldAttention) -> Callable[[Caller, str], set[tuple[type, str]]]:
    def refusals(caller: Caller, hold: str) -> set[tuple[type, str]]:
        found = set()
        for deed in deeds(attention).values():
            with pytest.raises(GovernorError) as refusal:
                deed(caller, hold)
            found.add((type(refusal.value), refusal.value.code))
        return found

    return refusals


def test_only_approvers_say_anything_and_only_of_what_waits_here(
    clocked: World,
    ana: Caller,
    held: Callable[..., RefundRequest],
    refused: Callable[[Caller, str], set[tuple[type, str]]],
) -> None:
    request = held()
    for role in (Role.AGENT, Role.OPERATOR, Role.AUDITOR):
        assert refused(clocked.caller(role), request.hold or "") == {(Forbidden, "role_not_allowed")}
    assert refused(ana, "hold_of_nobody") == {(NotFound, "hold_not_found")}
    clocked.decide(ana, request, Choice.REJECT)
    assert refused(ana, request.hold or "") == {(Conflict, "hold_already_decided")}
    late = held()
    clocked.advance(73 * HOUR)
    assert refused(ana, late.hold or "") == {(Conflict, "hold_expired")}
    assert clocked.app.approval_desk.waiting(ana) == ()


def test_whoever_asked_calls_nobody(
    clocked: World, attention: HoldAttention, held: Callable[..., RefundRequest]
) -> None:
    request = held()
    asker = clocked.approver("asker", owner=request.person)
    with pytest.raises(Forbidden, match="self_approval"):
        attention.escalate(asker, request.hold or "", None, "Quick!", fresh_key("call"))
    assert seen(clocked, asker, request).attention == Attention()
