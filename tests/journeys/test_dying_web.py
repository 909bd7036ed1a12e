"""The web process is killed while it decides: clients ask again under their keys, and every intent is one refund."""

import http.client
from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.ports.records import RequestFilter
from tests.builders import World, fresh_key
from tests.races.at_once import at_once
from tests.stack import PATIENCE_SECONDS, Stack, eventually
from workers import cron

CLIENTS = 24
PATH = "/api/v1/refund-requests"
GONE = (OSError, http.client.HTTPException)
"""What a client sees of a server that was killed: refused, reset, or an answer that breaks off."""


def _until_answered(
    stack: Stack, key: str, payment: str, number: int, back: Event, cut: list[int]
) -> tuple[int, Any]:
    """A client as it should be: no answer is no verdict, so the same key again. `cut` notes who got none."""
    sent = {"payment": payment, "amount": 1000, "currency": "usd"}
    while True:
        try:
            status, _, body = stack.call(
                "POST", PATH, key, sent, **{"Idempotency-Key": f"client-{number:04d}"}
            )
        except GONE:
            cut.append(number)
            assert back.wait(PATIENCE_SECONDS), "the web process did not come back"
            continue
        if status not in {409, 503}:
            return status, body


def _known_payment(world: World, key: str) -> str:
    """A payment whose facts are known: a key whose facts were being read would stay in flight for 45 seconds."""
    agent, payment = world.app.authenticate(key), world.payment(5000)
    world.app.cancel_refund(agent, world.request(agent, payment, 1).id, fresh_key())
    return payment


def _end_in_the_middle(
    world: World, limit: Limit, stack: Stack, back: Event, end: Callable[[Stack, str], None]
) -> tuple[int, Any]:
    eventually(lambda: world.headroom(limit) < 10_000)
    end(stack, "web")
    stack.start("web")
    back.set()
    return 0, None


@pytest.mark.parametrize("end", [Stack.kill, Stack.stop])
def test_a_web_process_killed_between_decisions_loses_and_doubles_nothing(
    world: World, stack_of: Callable[..., Stack], end: Callable[[Stack, str], None]
) -> None:
    """Case 20, RELIABILITY A1–A19: 24 clients, room for 10; killed or told to stop in the middle, started again."""
    limit, key = world.limit(10_000), world.key(Role.AGENT)
    payments = [_known_payment(world, key) for _ in range(CLIENTS)]
    stack, back, cut = stack_of(world), Event(), list[int]()
    stack.start("web")
    deeds: list[Callable[[], tuple[int, Any]]] = [
        partial(_until_answered, stack, key, payment, number, back, cut)
        for number, payment in enumerate(payments)
    ]
    deeds.append(partial(_end_in_the_middle, world, limit, stack, back, end))
    *answers, _ = at_once(deeds)
    # Who is told to stop may answer everybody first (RELIABILITY A6).
    assert cut or end is Stack.stop, "nobody was waiting when the process was killed"
    assert Counter(status for status, _ in answers) == {202: 10, 403: CLIENTS - 10}
    assert len({body.get("id") or body["refund_request"]["id"] for _, body in answers}) == CLIENTS
    assert world.headroom(limit) == 0
    decided = RequestFilter(states=("queued", "denied"))
    everything = world.app.queries.requests(world.operator, decided, after=None, at_most=100)
    assert len(everything) == CLIENTS
    stack.start("worker")
    cron.run_once(world.app, sweep=True)
    admitted = [request for request in everything if request.hold]
    eventually(lambda: {world.now(one).state for one in admitted} == {State.SUCCEEDED})
    assert [write["amount"] for write in world.writes()] == [1000] * 10


def test_two_agents_over_http_and_one_headroom(world: World, stack_of: Callable[..., Stack]) -> None:
    """What DESIGN §1 is about, as the two agents see it: who was refused learns why, and what holds the room."""
    world.limit(2000)
    keys = [world.key(Role.AGENT, name) for name in ("agent-a", "agent-b")]
    payments = [world.payment(5000), world.payment(5000)]
    stack = stack_of(world)
    stack.start("web")
    deeds = [
        partial(
            stack.call,
            "POST",
            PATH,
            key,
            {"payment": payment, "amount": 1500, "currency": "usd"},
            **{"Idempotency-Key": f"agent-{number}-wants"},
        )
        for number, (key, payment) in enumerate(zip(keys, payments, strict=True))
    ]
    (won, _, winner), (lost, _, loser) = sorted(at_once(deeds), key=lambda answer: answer[0])
    assert (won, lost, loser["code"]) == (202, 403, "limit_exceeded")
    (line,) = loser["limits"]
    assert (line["cap"], line["reserved"], line["headroom"], line["requested"]) == (2000, 1500, 500, 1500)
    hold = winner["hold"]["id"] if isinstance(winner["hold"], dict) else winner["hold"]
    assert [holder["hold"] for holder in line["held_by"]] == [hold]
