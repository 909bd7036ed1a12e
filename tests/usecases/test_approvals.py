from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.canonical import digest
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Unauthenticated
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.expire_holds import AT_ONCE
from tests.builders import World, ask, fresh_key
from tests.fakes.provider import FakeProvider
from tests.made_keys import made


def test_a_request_that_waits_for_approval_keeps_its_room_from_others(world: World) -> None:
    """Approved means it fits: 1500 of 2000 wait for an approver, so another 1500 are refused."""
    limit = world.limit(2000, approval_above=1000)
    agent = world.caller()
    waits = world.request(agent, world.payment(5000), 1500)
    refused = world.request(agent, world.payment(5000), 1500)
    assert (waits.state, refused.state) == (State.PENDING_APPROVAL, State.DENIED)
    assert refused.limits[0]["held_by"][0]["hold"] == waits.hold
    assert world.drain(waits) == 0, "nothing is sent before somebody has approved"
    approved = world.decide(world.approver(), waits, Choice.APPROVE)
    assert (approved.state, world.headroom(limit)) == (State.QUEUED, 500)
    world.drain(approved)
    assert world.now(waits).state is State.SUCCEEDED
    assert [write["amount"] for write in world.writes()] == [1500]


def test_a_rejected_request_gives_its_room_to_the_competitor(world: World) -> None:
    limit = world.limit(2000, approval_above=1000)
    agent = world.caller()
    waits = world.request(agent, world.payment(5000), 1500)
    assert world.request(agent, world.payment(5000), 900).state is State.DENIED
    rejected = world.decide(world.approver(), waits, Choice.REJECT)
    assert (rejected.state, world.headroom(limit)) == (State.REJECTED, 2000)
    competitor = world.request(agent, world.payment(5000), 900)
    assert (competitor.state, world.drain(competitor)) == (State.QUEUED, 1)
    assert [write["amount"] for write in world.writes()] == [900]


def test_room_is_free_the_instant_a_hold_expires_though_no_worker_lives(
    new_world: Callable[..., World],
) -> None:
    """Case 27, RELIABILITY B8: nobody has booked the expiry, and the next admission already has the room."""
    world = new_world(clock=True, approval_seconds=600)
    world.limit(2000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    waits = world.request(agent, world.payment(5000), 1500)
    world.advance(590)
    assert world.request(agent, world.payment(5000), 900).state is State.DENIED
    world.advance(610)
    with pytest.raises(Conflict) as late:
        world.decide(approver, waits, Choice.APPROVE)
    assert late.value.code == "hold_expired"
    assert world.now(waits).state is State.PENDING_APPROVAL, "the state is booked by whoever comes next"
    assert world.request(agent, world.payment(5000), 900).state is State.QUEUED
    assert world.now(waits).state is State.EXPIRED
    with pytest.raises(Conflict) as decided:
        world.decide(approver, waits, Choice.APPROVE)
    assert decided.value.code == "hold_expired"


def test_a_preview_finds_the_room_of_a_hold_that_has_expired(new_world: Callable[..., World]) -> None:
    """What is shown is what an admission would find, and nothing is booked for it."""
    world = new_world(clock=True, approval_seconds=600)
    limit = world.limit(2000, approval_above=1000)
    agent = world.caller()
    waits, payment = world.request(agent, world.payment(5000), 1500), world.payment(5000)
    world.advance(610)
    assert world.app.request_refund.preview(agent, ask(payment, 900), None).state is State.QUEUED
    assert (world.now(waits).state, world.headroom(limit)) == (State.EXPIRED, 2000)


def test_nobody_decides_a_request_of_their_own_with_any_of_their_keys(world: World) -> None:
    """Cases 70, 71; invariant 14: the same person, whatever key and role they use."""
    world.limit(2000, approval_above=0)
    agent = world.caller(owner="olga", name="olgas-agent")
    waits = world.request(agent, world.payment(5000), 100)
    same_person = world.caller(Role.APPROVER, "olga-herself", kind=Kind.HUMAN, owner="olga")
    for choice in Choice:
        with pytest.raises(Forbidden) as own:
            world.decide(same_person, waits, choice, amount=50 if choice is Choice.APPROVE_LESS else None)
        assert own.value.code == "self_approval"
    assert world.decide(world.approver(), waits, Choice.APPROVE).state is State.QUEUED


def _refused(world: World, approver: Caller, waits: RefundRequest) -> bool:
    """Whether a decision is refused as one's own; the request waits on."""
    with pytest.raises(Forbidden, match="self_approval"):
        world.decide(approver, waits, Choice.APPROVE)
    return world.now(waits).state is State.PENDING_APPROVAL


def test_no_operator_asks_and_approves_alone_with_keys_made_in_other_peoples_names(world: World) -> None:
    """Invariant 14: whoever has seen the secret of a key acts for its person, however many keys lie between."""
    world.limit(2000, approval_above=0)
    eve = world.operator
    bot, ben = made(world, eve, Role.AGENT, "bot"), made(world, eve, Role.APPROVER, "ben")
    puppet = made(world, eve, Role.OPERATOR, "puppet")
    carla = made(world, puppet, Role.APPROVER, "carla")
    waits = world.request(bot, world.payment(5000), 100)
    assert _refused(world, ben, waits)
    assert _refused(world, carla, waits)
    assert _refused(world, world.approver("eve", owner=eve.credential.owner), waits)
    own = world.request(world.caller(name="eves", owner=eve.credential.owner), world.payment(5000), 100)
    assert _refused(world, ben, own)
    other = world.caller(Role.OPERATOR, "olaf", kind=Kind.HUMAN)
    assert world.decide(made(world, other, Role.APPROVER, "zoe"), waits, Choice.APPROVE).state is State.QUEUED


def test_who_replaces_the_secret_of_a_key_does_not_approve_what_it_asks_for(world: World) -> None:
    """They were shown the new one, and stay among those who saw one when the agent replaces it again."""
    world.limit(2000, approval_above=0)
    agent = world.caller()
    eve = world.approver("eve", owner=world.operator.credential.owner)
    first = world.request(agent, world.payment(5000), 100)
    assert world.decide(eve, first, Choice.APPROVE).state is State.QUEUED
    rotate, hour = world.app.manage_credentials.rotate, timedelta(hours=1)
    rotated = rotate(world.operator, agent.credential.id, hour, fresh_key())
    key = rotate(world.app.authenticate(rotated[1] or ""), agent.credential.id, hour, fresh_key())[1]
    waits = world.request(world.app.authenticate(key or ""), world.payment(5000), 100)
    assert _refused(world, eve, waits)
    assert world.decide(world.approver("zoe"), waits, Choice.APPROVE).state is State.QUEUED


def test_a_decision_on_something_else_than_what_was_shown_does_not_count(world: World) -> None:
    """RELIABILITY B12."""
    world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 100)
    approver = world.approver()
    hold, _ = world.app.queries.hold(approver, waits.hold or "")
    for seen, version in (("sha256:" + "0" * 64, hold.version), (hold.digest, hold.version + 1)):
        with pytest.raises(Conflict) as stale:
            world.app.decide_hold(approver, hold.id, Ballot(Choice.APPROVE, seen, version), fresh_key())
        assert stale.value.code == "hold_changed"
        assert stale.value.extra["digest"] == hold.digest
    assert world.now(waits).state is State.PENDING_APPROVAL


def test_a_decision_stands(world: World) -> None:
    """Case 31: what is decided cannot be decided again, and a durable denial never becomes a refund."""
    limit = world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 100)
    denied = world.request(world.caller(), world.payment(5000), 2001)
    world.decide(world.approver("first"), waits, Choice.REJECT)
    with pytest.raises(Conflict) as again:
        world.decide(world.approver("second"), waits, Choice.APPROVE)
    assert (again.value.code, again.value.extra["state"]) == ("hold_already_decided", "rejected")
    assert denied.hold is None, "a denial has nothing that could be approved"
    assert world.drain(waits) == world.drain(denied) == 0
    assert (world.writes(), world.headroom(limit)) == ([], 2000)


def test_a_repeated_decision_is_one_vote(world: World) -> None:
    """RELIABILITY B4, B5: the same key again is answered, and counted once."""
    world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 100)
    approver, key = world.approver(), fresh_key("vote")
    hold, _ = world.app.queries.hold(approver, waits.hold or "")
    decision = (approver, hold.id, Ballot(Choice.APPROVE, hold.digest, hold.version), key)
    assert world.app.decide_hold(*decision).state is State.QUEUED
    assert world.app.decide_hold(*decision).state is State.QUEUED
    assert len(world.app.queries.hold(approver, hold.id)[1]) == 1
    assert world.drain(waits) == 1


def test_what_a_decisions_key_names_stays_the_same_across_upgrades(world: World) -> None:
    """A vote that was counted before an upgrade is repeated after it: its fingerprint is of these members, for good.

    What is not said is among them; what was typed is not.
    """
    world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 100)
    approver, key = world.approver(), fresh_key("vote")
    hold, _ = world.app.queries.hold(approver, waits.hold or "")
    typed = Ballot(Choice.APPROVE, hold.digest, hold.version, typed_minor=100)
    world.app.decide_hold(approver, hold.id, typed, key)
    with world.app.store.reading() as reads:
        kept = reads.operation("test", f"decision:{approver.credential.id}", key)
    said = {"choice": "approve", "digest": hold.digest, "version": hold.version, "reason": None}
    assert kept is not None
    assert kept.fingerprint == digest({"hold": hold.id, **said, "amount_minor": None})
    again = world.app.decide_hold(approver, hold.id, replace(typed, typed_minor=None), key)
    assert again.state is State.QUEUED
    assert len(world.app.queries.hold(approver, hold.id)[1]) == 1


def test_the_approvers_key_is_judged_when_the_vote_is_counted(world: World) -> None:
    """RELIABILITY B11: revoked between the look and the vote."""
    world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 100)
    approver = world.approver()
    world.app.manage_credentials.revoke(world.operator, approver.credential.id)
    with pytest.raises(Unauthenticated):
        world.decide(approver, waits, Choice.APPROVE)
    assert world.now(waits).state is State.PENDING_APPROVAL


def test_five_times_just_under_the_threshold_needs_nobody_but_still_fits_the_cap(world: World) -> None:
    """A threshold judges one amount; what adds up is the cap's business."""
    world.limit(5000, approval_above=1000)
    agent = world.caller()
    states = [world.request(agent, world.payment(5000), 1000).state for _ in range(6)]
    assert states == [State.QUEUED] * 5 + [State.DENIED]


def test_room_that_many_expired_holds_gave_back_is_free_at_once(new_world: Callable[..., World]) -> None:
    """Case 27: no worker is alive, and more holds have expired than one look reads."""
    world = new_world(clock=True, provider=FakeProvider())
    limit = world.limit(AT_ONCE + 1, approval_above=0)
    agent = world.caller()
    for n in range(AT_ONCE + 1):
        assert world.request(agent, world.payment(5000), 1).state is State.PENDING_APPROVAL, n
    assert world.request(agent, world.payment(5000), 1).denial == "limit_exceeded"
    world.advance(world.approval_seconds + 1)
    assert world.request(agent, world.payment(5000), AT_ONCE + 1).state is State.PENDING_APPROVAL
    assert world.headroom(limit) == 0
