"""Whoever asked reminds the approvers: at most once an hour, as a message, in their inbox, and nothing else changes."""

from collections.abc import Callable

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound
from governor.domain.messages import told_by
from governor.domain.requests import RefundRequest
from governor.ports.records import TrailFilter
from governor.usecases.callers import Caller
from governor.usecases.replay import Answer
from tests.builders import World, fresh_key
from tests.races.at_once import at_once
from tests.usecases.test_delegation import child_of

NUDGED = "refund_request.nudged"


@pytest.fixture
def timed(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True, approval_seconds=3 * 3600)
    world.limit(100_000, approval_above=1000)
    return world


def nudge(world: World, caller: Caller, request: RefundRequest, key: str | None = None) -> Answer:
    return world.app.nudge_approvers(caller, request.id, key or fresh_key("nudge"))


def refusal(world: World, caller: Caller, request: RefundRequest) -> str:
    with pytest.raises((Conflict, Forbidden, NotFound)) as refused:
        nudge(world, caller, request)
    return refused.value.code


def nudges(world: World, request: RefundRequest) -> int:
    with world.app.store.reading() as reads:
        chosen = TrailFilter(objects=(request.id,), actions=(NUDGED,))
        rows = reads.audit(world.environment, after=0, at_most=50, chosen=chosen)
    assert all([one.type for one in told_by(row.entry)] == [NUDGED] for row in rows)
    return len(rows)


def test_a_reminder_changes_nothing_and_stands_in_the_inbox(timed: World) -> None:
    agent, approver = timed.caller(), timed.approver()
    quiet, loud = (timed.request(agent, timed.payment(5000), 1500) for _ in range(2))
    before = timed.now(loud)
    timed.advance(60)
    key = fresh_key("nudge")
    assert nudge(timed, agent, loud, key) == Answer(before, replayed=False)
    assert nudge(timed, agent, loud, key) == Answer(before, replayed=True)
    assert timed.now(loud) == before
    assert (nudges(timed, quiet), nudges(timed, loud)) == (0, 1)
    waiting = {one.request.id: one.attention.nudged_at for one in timed.app.approval_desk.waiting(approver)}
    at = timed.app.approval_desk.to_decide(approver, loud.hold or "").waiting.attention.nudged_at
    assert waiting == {quiet.id: None, loud.id: at}
    assert at is not None
    assert at > before.created_at
    with pytest.raises(Invalid):
        nudge(timed, agent, quiet, key)


def test_a_reminder_brings_back_what_was_snoozed(timed: World) -> None:
    agent, approver = timed.caller(), timed.approver()
    other, asked_again = (timed.request(agent, timed.payment(5000), 1500) for _ in range(2))
    desk = timed.app.approval_desk
    for one in (other, asked_again):
        desk.attention.snooze(approver, one.hold or "", "an_hour")
    assert not any(one.for_me for one in desk.waiting(approver))
    nudge(timed, agent, asked_again)
    (back,) = (one for one in desk.waiting(approver) if one.for_me)
    assert back.request.id == asked_again.id
    assert back.attention.nudged_at is not None, "why it is back"
    desk.attention.snooze(approver, asked_again.hold or "", "an_hour")
    assert not any(one.for_me for one in desk.waiting(approver)), "the same reminder brings it back once"


def test_one_hold_is_reminded_of_once_an_hour_whoever_does_it(timed: World) -> None:
    parent = timed.caller()
    child = child_of(timed, parent)
    waits = timed.request(child, timed.payment(5000), 1500)
    other = timed.request(child, timed.payment(5000), 1500)
    nudge(timed, child, waits)
    assert refusal(timed, parent, waits) == "nudged_already"
    nudge(timed, parent, other)
    timed.advance(1800)
    assert refusal(timed, child, waits) == "nudged_already"
    timed.advance(3700)
    nudge(timed, parent, waits)
    assert nudges(timed, waits) == 2


def test_two_reminders_at_once_are_one(world: World) -> None:
    world.limit(100_000, approval_above=1000)
    agent = world.caller()
    waits = world.request(agent, world.payment(5000), 1500)

    def once() -> str:
        try:
            nudge(world, agent, waits)
        except Conflict as refused:
            return refused.code
        return "told"

    assert sorted(at_once([once, once, once])) == ["nudged_already", "nudged_already", "told"]
    assert nudges(world, waits) == 1


def test_only_who_speaks_for_it_reminds_and_only_while_approvers_have_to_decide(timed: World) -> None:
    agent, approver = timed.caller(), timed.approver()
    waits, late = (timed.request(agent, timed.payment(5000), 1500) for _ in range(2))
    passed = timed.request(agent, timed.payment(5000), 100)
    assert refusal(timed, timed.caller(name="stranger"), waits) == "not_yours"
    assert refusal(timed, approver, waits) == "role_not_allowed"
    assert refusal(timed, agent, passed) == "hold_already_decided"
    with pytest.raises(NotFound):
        timed.app.nudge_approvers(agent, "rr_nobody", fresh_key("nudge"))
    timed.decide(approver, waits, Choice.RETURN)
    assert refusal(timed, agent, waits) == "answer_first"
    timed.app.answer_question(agent, waits.id, "the red one", fresh_key("answer"))
    nudge(timed, agent, waits)
    timed.decide(approver, waits, Choice.REJECT)
    assert refusal(timed, agent, waits) == "hold_already_decided"
    timed.advance(4 * 3600)
    assert refusal(timed, agent, late) == "hold_expired"
