from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from tests.builders import World, fresh_key
from tests.races.ring import Ring

ROUNDS = 200


@pytest.fixture(scope="session")
def two_processes() -> Iterator[Ring]:
    with Ring(2) as ring:
        yield ring


@pytest.fixture
def ring(world: World, two_processes: Ring) -> Ring:
    two_processes.enter(world.app.settings)
    return two_processes


def _wants(key: str, payment: str, amount: int, operation: str | None = None) -> dict[str, Any]:
    return {
        "do": "request",
        "caller": key,
        "payment": payment,
        "amount": amount,
        "key": operation or fresh_key(),
    }


def test_two_processes_never_spend_the_same_headroom(world: World, ring: Ring) -> None:
    """Cases 1, 8, 17. Two agents, 2000 left, each wants 1500: 200 times over, on one counter."""
    limit = world.limit(2000)
    keys = [world.key(name=name) for name in ("agent-a", "agent-b")]
    firsts = Counter[int]()
    winner: dict[str, Any] = {}
    for number in range(ROUNDS):
        payments = [world.payment(5000), world.payment(5000)]
        results = ring.race(
            *(_wants(key, payment, 1500) for key, payment in zip(keys, payments, strict=True))
        )
        assert sorted(result["state"] for result in results) == ["denied", "queued"], results
        winner, loser = sorted(results, key=lambda result: result["state"], reverse=True)
        assert loser["denial"] == "limit_exceeded"
        line = loser["limits"][0]
        assert (line["limit"], line["headroom"], line["requested"]) == (limit.id, 500, 1500)
        assert line["held_by"][0] == {"hold": winner["hold"], "refund_request": winner["id"], "amount": 1500}
        firsts[results.index(winner)] += 1
        if number + 1 < ROUNDS:
            limit = world.change_cap(limit, limit.cap + 1500)
    assert world.drain(world.app.queries.request(world.operator, winner["id"])) == ROUNDS
    assert [write["amount"] for write in world.writes()] == [1500] * ROUNDS
    assert world.headroom(limit) == 500
    assert min(firsts[0], firsts[1]) >= 1, f"one process always came first: this is no race ({firsts})"


def test_two_processes_never_refund_more_than_was_captured(world: World, ring: Ring) -> None:
    """Case 1: 6000 and 5000 at once of a payment of 10000; the payment's own ceiling holds."""
    world.limit(10**9)
    keys = [world.key(name=name) for name in ("agent-a", "agent-b")]
    for _ in range(20):
        payment = world.payment(10000)
        results = ring.race(_wants(keys[0], payment, 6000), _wants(keys[1], payment, 5000))
        assert sorted(str(result["denial"]) for result in results) == ["None", "amount_exceeds_refundable"]
        (queued,) = (result for result in results if result["state"] == "queued")
        assert world.drain(world.app.queries.request(world.operator, queued["id"])) == 1
        assert len(world.writes(payment)) == 1


def test_one_key_in_two_processes_is_one_intent(world: World, ring: Ring) -> None:
    """Case 2 and RELIABILITY A28: the same key at the same instant, by two credentials."""
    world.limit(10**9)
    keys = [world.key(name=name) for name in ("agent-a", "agent-b")]
    seen = Counter[str]()
    for _ in range(30):
        payment, operation = world.payment(5000), fresh_key()
        first, second = ring.race(*(_wants(key, payment, 700, operation) for key in keys))
        ids = {result["id"] for result in (first, second) if "id" in result}
        assert len(ids) == 1
        answers = sorted(str(result.get("error") or result["replayed"]) for result in (first, second))
        seen[" and ".join(answers)] += 1
        assert world.drain(world.app.queries.request(world.operator, ids.pop())) == 1
        assert len(world.writes(payment)) == 1
    assert set(seen) <= {"False and True", "False and idempotency_in_flight"}, seen


def test_a_double_click_is_one_refund(world: World, ring: Ring) -> None:
    """Cases 2, 8: the same refund asked for twice under two keys is a possible duplicate that names the first."""
    world.limit(10**9)
    keys = [world.key(name=name) for name in ("agent-a", "agent-b")]
    for _ in range(20):
        payment = world.payment(5000)
        results = ring.race(*(_wants(key, payment, 392) for key in keys))
        assert sorted(str(result["denial"]) for result in results) == ["None", "possible_duplicate"]
        (winner,) = (result for result in results if result["state"] == "queued")
        (loser,) = (result for result in results if result["state"] == "denied")
        denied = world.app.queries.request(world.operator, loser["id"])
        assert denied.duplicate_of == winner["id"]


def test_two_last_votes_at_once_are_one_transition(world: World, ring: Ring) -> None:
    """RELIABILITY B6, B9: approve and reject by two people at the same instant; one stands, one hears of it."""
    world.limit(10**9, approval_above=100)
    agent = world.caller()
    voters = [world.key(Role.APPROVER, f"approver-{n}", kind=Kind.HUMAN) for n in range(2)]
    for _ in range(30):
        request = world.request(agent, world.payment(5000), 900)
        hold, _ = world.app.queries.hold(world.operator, request.hold or "")
        order = {"do": "decide", "hold": hold.id, "digest": hold.digest, "version": hold.version}
        results = ring.race(
            order | {"caller": voters[0], "choice": "approve", "key": fresh_key()},
            order | {"caller": voters[1], "choice": "reject", "key": fresh_key()},
        )
        (refused,) = (result for result in results if "error" in result)
        (stands,) = (result for result in results if "error" not in result)
        assert refused["error"] == "hold_already_decided"
        assert world.now(request).state == stands["state"]
        assert world.drain(request) == (1 if stands["state"] == "queued" else 0)
        expected = State.SUCCEEDED if stands["state"] == "queued" else State.REJECTED
        assert world.now(request).state is expected


def test_an_approval_is_taken_back_or_sent_and_never_both(world: World, ring: Ring) -> None:
    """RELIABILITY B9: an approver thinks again in the moment in which a worker claims what they have approved."""
    world.limit(10**9, approval_above=100)
    agent, key = world.caller(), world.key(Role.APPROVER, "approver", kind=Kind.HUMAN)
    approver = world.app.authenticate(key)
    for _ in range(30):
        payment = world.payment(5000)
        request = world.request(agent, payment, 900)
        world.decide(approver, request, Choice.APPROVE)
        undo = {"do": "take_back", "caller": key, "hold": request.hold, "key": fresh_key()}
        undone, worker = ring.race(undo, {"do": "work", "environment": "test"})
        if "error" in undone:
            assert (undone["error"], worker["sent"]) == ("not_taken_back", [request.id])
        else:
            assert (undone["state"], worker["sent"]) == ("pending_approval", [])
            assert world.drain(request) == 0
        assert len(world.writes(payment)) == len(worker["sent"])
        after = State.SUCCEEDED if worker["sent"] else State.PENDING_APPROVAL
        assert world.now(request).state is after


def test_approval_and_cancellation_at_once_end_in_one_of_them(world: World, ring: Ring) -> None:
    """RELIABILITY B9: whoever commits first; capacity is free exactly when the request is canceled."""
    limit = world.limit(1000, approval_above=100)
    agent_key = world.key()
    voter = world.key(Role.APPROVER, "approver", kind=Kind.HUMAN)
    for _ in range(20):
        request = world.request(world.app.authenticate(agent_key), world.payment(5000), 900)
        hold, _ = world.app.queries.hold(world.operator, request.hold or "")
        decide = {
            "do": "decide",
            "caller": voter,
            "hold": hold.id,
            "digest": hold.digest,
            "choice": "approve",
        }
        cancel = {"do": "cancel", "caller": agent_key, "request": request.id}
        results = ring.race(
            decide | {"version": hold.version, "key": fresh_key()}, cancel | {"key": fresh_key()}
        )
        # A cancellation stops a queued request too, so it always has the last word before a claim.
        assert results[1]["state"] == "canceled"
        assert results[0].get("state") == "queued" or results[0]["error"] == "hold_already_decided"
        assert world.headroom(limit) == 1000
        assert world.drain(request) == 0
    assert world.writes() == []
