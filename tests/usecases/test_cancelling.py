"""A cancellation in every state (DESIGN invariant 16): what it does, and what task and effect say afterwards."""

from collections.abc import Callable

import pytest

from governor.api.app import ROUTES, create_app
from governor.api.openapi import build_openapi
from governor.domain.approval import Choice
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.ports.provider import RefundOrder
from tests.api.contract import HeldToContract
from tests.api.people import People
from tests.api.wire import Got, InProcess
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.twin import Twin
from tests.usecases.at_the_desk import HOUR, TIMEOUT
from tests.usecases.at_the_desk import desk as desk
from tests.usecases.at_the_desk import provider as provider

PATH = "/refund-requests"
SMALL, LARGE = 500, 1500
"""LARGE asks for an approval."""


@pytest.fixture
def people(desk: World) -> People:
    desk.limit(100_000, approval_above=1000)
    surface = create_app(desk.app, trusted_hosts=["localhost"], cursor_key=b"k" * 32)
    return People(desk, HeldToContract(InProcess(surface), build_openapi(ROUTES)))


def _asked(world: World, amount: int = SMALL) -> RefundRequest:
    return world.request(world.caller(), world.payment(5000), amount)


def _sent(world: World, provider: FakeProvider, reply: Reply | None = None, status: str = "succeeded") -> str:
    if reply is not None:
        provider.answer_next(reply)
    provider.next_status = status
    request = _asked(world)
    world.drain(request)
    return request.id


def _decided(world: World, choice: Choice) -> str:
    request = _asked(world, LARGE)
    return world.decide(world.approver(), request, choice).id


def _expired(world: World) -> str:
    request = _asked(world, LARGE)
    world.advance(world.approval_seconds + 1)
    world.app.expire_holds(world.environment)
    return request.id


def _reversed(world: World, provider: FakeProvider) -> str:
    request = world.app.queries.request(world.operator, _sent(world, provider))
    provider.set_status(provider.executed(request.payment)[0].id, "failed")
    world.app.unknown_desk.recover.look_now(request)
    return request.id


def _canceled(world: World) -> str:
    return world.app.cancel_refund(world.operator, _asked(world).id, fresh_key()).request.id


Arrive = Callable[[World, FakeProvider], str]
ARRIVE: dict[State, Arrive] = {
    State.DENIED: lambda world, _: world.request(world.caller(), world.payment(100), 101).id,
    State.PENDING_APPROVAL: lambda world, _: _asked(world, LARGE).id,
    State.QUEUED: lambda world, _: _asked(world).id,
    State.UNKNOWN: lambda world, provider: _sent(world, provider, TIMEOUT),
    State.PROVIDER_PENDING: lambda world, provider: _sent(world, provider, status="pending"),
    State.SUCCEEDED: _sent,
    State.FAILED: lambda world, provider: _sent(
        world, provider, Reply(Outcome.REJECTED, "charge_disputed", 400)
    ),
    State.REVERSED: _reversed,
    State.REJECTED: lambda world, _: _decided(world, Choice.REJECT),
    State.EXPIRED: lambda world, _: _expired(world),
    State.CANCELED: lambda world, _: _canceled(world),
}
"""How a request comes to each state but `dispatching`, which lasts only while a call is under way."""

#    state                    answer  afterwards          task       effect      money      wish recorded
TABLE = [
    (State.DENIED,            409,    "denied",           "stopped", "none",     "no",      False),
    (State.PENDING_APPROVAL,  200,    "canceled",         "stopped", "none",     "no",      True),
    (State.QUEUED,            200,    "canceled",         "stopped", "none",     "no",      True),
    (State.UNKNOWN,           202,    "unknown",          "stopped", "in_doubt", "unknown", True),
    (State.PROVIDER_PENDING,  202,    "provider_pending", "stopped", "pending",  "unknown", True),
    (State.SUCCEEDED,         409,    "succeeded",        "done",    "done",     "yes",     False),
    (State.FAILED,            409,    "failed",           "done",    "failed",   "no",      False),
    (State.REVERSED,          409,    "reversed",         "done",    "failed",   "no",      False),
    (State.REJECTED,          409,    "rejected",         "stopped", "none",     "no",      False),
    (State.EXPIRED,           409,    "expired",          "stopped", "none",     "no",      False),
    (State.CANCELED,          409,    "canceled",         "stopped", "none",     "no",      True),
]  # fmt: skip


def _shown(got: Got) -> tuple[object, ...]:
    body = got.json
    wished = body["cancel_requested_at"] is not None
    return body["state"], body["task"], body["effect"], body["money_moved"], wished


@pytest.mark.parametrize(("state", "status", "after", "task", "effect", "money", "wished"), TABLE)
def test_a_cancellation_in_each_state(
    desk: World,
    provider: FakeProvider,
    people: People,
    state: State,
    status: int,
    after: str,
    task: str,
    effect: str,
    money: str,
    wished: bool,
) -> None:
    request = ARRIVE[state](desk, provider)
    assert people.operator.get(f"{PATH}/{request}").json["state"] == state
    got = people.operator.post(f"{PATH}/{request}/cancel")
    assert got.status == status
    if status == 409:
        assert (got.code, got.json["state"]) == ("already_final", state)
    else:
        assert _shown(got) == (after, task, effect, money, wished)
    assert _shown(people.operator.get(f"{PATH}/{request}")) == (after, task, effect, money, wished)


def test_the_table_has_every_state_but_the_one_that_lasts_a_call() -> None:
    assert {row[0] for row in TABLE} == set(ARRIVE) == set(State) - {State.DISPATCHING}


def test_a_cancellation_while_the_call_is_under_way_is_a_wish_and_the_reply_still_counts(
    desk: World, provider: FakeProvider, people: People
) -> None:
    """RELIABILITY A20: task stopped, effect in doubt; then the money moved, and nothing pretends otherwise."""
    seen: list[tuple[object, ...]] = []

    def cancel_meanwhile(order: RefundOrder) -> None:
        got = people.operator.post(f"{PATH}/{order.request_id}/cancel")
        seen.append((got.status, *_shown(got)))

    provider.before_call = cancel_meanwhile
    request = _sent(desk, provider)
    assert seen == [(202, "dispatching", "stopped", "in_doubt", "unknown", True)]
    assert _shown(people.operator.get(f"{PATH}/{request}")) == ("succeeded", "done", "done", "yes", True)


def test_a_wait_that_runs_out_cancels_nothing(desk: World, people: People) -> None:
    asked = {"payment": desk.payment(5000), "amount": SMALL, "currency": "usd"}
    got = people.agent.post(PATH, asked, Prefer="wait=1")
    assert (got.status, got.headers["Preference-Applied"]) == (202, "wait=1")
    assert _shown(got) == ("queued", "open", "none", "no", False)
    desk.drain(desk.app.queries.request(desk.operator, got.json["id"]))
    assert people.agent.get(f"{PATH}/{got.json['id']}").json["state"] == "succeeded"


@pytest.mark.parametrize(("fault", "ends"), [("drop_before", State.UNKNOWN), ("drop_after", State.SUCCEEDED)])
def test_what_was_wished_away_in_doubt_is_read_and_never_sent_again(
    new_world: Callable[..., World], twin: Twin, fault: str, ends: State
) -> None:
    """Counted at the provider: one refund call, whatever recovery does (invariant 16)."""
    world = new_world(clock=True)
    limit = world.limit(2000)
    payment = world.payment(5000)
    twin.fault(fault, method="POST", path="/v1/refunds")
    request = world.request(world.caller(), payment, 1500)
    world.drain(request)
    world.app.cancel_refund(world.operator, request.id, fresh_key())
    for hours in range(1, 5):
        world.advance(hours * HOUR)
        world.app.recover_refund(world.environment)
    calls = [(call["method"], call["path"]) for call in twin.settled_calls()]
    assert calls.count(("POST", "/v1/refunds")) == 1
    assert calls.count(("GET", "/v1/refunds")) >= 1, "it was looked for"
    assert (world.now(request).state, world.headroom(limit)) == (ends, 500)
