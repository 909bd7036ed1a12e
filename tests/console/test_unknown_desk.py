"""The unknown desk in the console: what bears on a request in doubt, a look now, and the word of two people."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from governor.console.steer.unknown_desk import advice
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.recovery import Look
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew
from tests.fakes.provider import FakeProvider
from tests.freezing import freeze
from tests.unit.values import NOON, replaced
from tests.unit.values import request as a_request
from tests.usecases.at_the_desk import TIMEOUT

DESK = "/console/e/test/unknown"
MADE, NONE = "Say that it was made", "Say that none was made"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(10_000_000)


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


@pytest.fixture
def dora(app: Flask, crew: Crew) -> Visitor:
    """Another operator."""
    visitor = Visitor(app)
    visitor.sign_in(crew.somebody("dora", {"test": [Role.OPERATOR]}), PASSWORD)
    return visitor


def in_doubt(world: World, provider: FakeProvider, amount: int = 1500) -> RefundRequest:
    request = world.request(world.caller(), world.payment(5000), amount)
    provider.answer_next(TIMEOUT)
    world.drain(request)
    assert world.now(request).state is State.UNKNOWN
    return request


def test_what_is_in_doubt_is_listed_with_what_is_at_risk(
    world: World, provider: FakeProvider, cleo: Visitor
) -> None:
    request = in_doubt(world, provider)
    page = cleo.get(DESK)
    assert f"{DESK}/{request.id}" in page.links
    assert "At risk" in page.text
    entry = next(one for one in page.all("a", href=DESK) if "waiting" in one.text)
    assert "Unknown desk" in entry.text


def test_two_people_who_say_the_same_resolve_it(
    world: World, provider: FakeProvider, cleo: Visitor, dora: Visitor
) -> None:
    request = in_doubt(world, provider)
    address = f"{DESK}/{request.id}/resolve"
    check = cleo.send(
        cleo.get(address).form("Look at it once more"), outcome="failed", reason="no trace at the bank"
    )
    assert "a call on its way could still make this refund" in check.text
    assert "nothing changes until somebody else says the same" in check.text
    form = check.form(NONE)
    for _ in range(2):
        assert "It stays in doubt until somebody else says the same." in cleo.send(form).text
    assert world.now(request).state is State.UNKNOWN
    seen = dora.get(f"{DESK}/{request.id}")
    assert "no trace at the bank" in seen.text
    second = dora.send(
        dora.get(address).form("Look at it once more"), outcome="failed", reason="I see none, either"
    )
    assert "its capacity is free at once" in second.text
    assert "Two people have said how it ended" in dora.send(second.form(NONE)).text
    assert world.now(request).state is State.FAILED
    assert "It is not in doubt" in dora.get(address).text


def test_the_same_person_twice_and_two_who_disagree_resolve_nothing(
    world: World, provider: FakeProvider, cleo: Visitor, dora: Visitor
) -> None:
    request = in_doubt(world, provider)
    address = f"{DESK}/{request.id}/resolve"
    tabs = [cleo.get(address).form("Look at it once more") for _ in range(2)]
    checks = [cleo.send(tab, outcome="succeeded", reason="seen") for tab in tabs]
    cleo.send(checks[0].form(MADE))
    said = cleo.send(checks[1].form(MADE))
    assert said.status == 422
    assert "Somebody else has to say the same." in said.text
    other = dora.get(address).form("Look at it once more")
    disagrees = dora.send(dora.send(other, outcome="failed", reason="not seen").form(NONE))
    assert disagrees.status == 422
    assert "look together before one of you says it anew" in disagrees.text
    assert disagrees.form("Look at it once more").value("reason") == "not seen"
    assert world.now(request).state is State.UNKNOWN


def test_a_look_now_finds_what_the_provider_has(world: World, provider: FakeProvider, cleo: Visitor) -> None:
    request = in_doubt(world, provider)
    address = f"{DESK}/{request.id}"
    assert "Nobody has to do anything yet" in cleo.get(address).text
    nothing = cleo.send(cleo.get(address).form("Ask Stripe now"))
    assert "shows nothing that proves how it ended" in nothing.text
    assert "Stripe shows none" in nothing.text
    provider.refund_for(request.payment, 1500, request.id)
    page = cleo.get(address)
    assert "This request's" in page.text
    assert "Stripe was asked: refunded." in cleo.send(page.form("Ask Stripe now")).text
    assert world.now(request).state is State.SUCCEEDED
    assert "Nobody has to do anything" not in cleo.get(address).text


def test_what_to_do_depends_on_whether_it_is_sent_again_and_looked_for() -> None:
    """Where governor replays, nobody does anything; what it only reads, not; flagged it waits for people; settled, for nobody."""
    young = a_request(State.UNKNOWN, first_sent_at=NOON - timedelta(hours=1))
    old = replaced(young, first_sent_at=NOON - timedelta(days=1))
    flagged = replaced(young, flagged_at=NOON)
    cases = ((young, Look.REPLAY), (young, Look.READ), (old, Look.READ), (flagged, Look.REPLAY))
    said = [advice(one, how, NOON) or ("", "") for one, how in cases]
    assert [tone for _, tone in said] == ["info", "warning", "warning", "danger"]
    assert said[0][0].startswith("Nobody has to do anything yet")
    assert said[1][0].startswith("It is not sent again as things stand, and governor goes on looking.")
    assert said[2][0].startswith("It is not sent again, and governor goes on looking.")
    assert "two people say so here" in said[3][0]
    assert advice(a_request(State.SUCCEEDED), Look.READ, NOON) is None


def test_what_is_stopped_or_not_wanted_any_more_is_not_said_to_be_sent_again(
    world: World, provider: FakeProvider, cleo: Visitor
) -> None:
    """Invariants 15 and 16: what a freeze stops and what nobody wants are read, and never replayed."""
    stopped, unwanted = in_doubt(world, provider), in_doubt(world, provider)
    assert "May be sent again under the same key, until" in cleo.get(f"{DESK}/{stopped.id}").text
    freeze(world, Scope.PAYMENT, stopped.payment)
    world.app.cancel_refund(world.operator, unwanted.id, "a-wish-of-the-operator")
    pages = [cleo.get(f"{DESK}/{one.id}").text for one in (stopped, unwanted)]
    assert ["Nobody has to do anything yet" in page for page in pages] == [False, False]
    assert ["It is not sent again as things stand" in page for page in pages] == [True, True]
    assert "May be sent again not as things stand" in pages[0]
    assert "May be sent again no more: somebody asked to cancel it" in pages[1]


def test_whoever_only_looks_finds_no_button(
    world: World, provider: FakeProvider, visitor: Callable[[Role], Visitor]
) -> None:
    request = in_doubt(world, provider)
    for role in (Role.APPROVER, Role.AUDITOR):
        page = visitor(role).get(f"{DESK}/{request.id}")
        assert page.status == 200
        assert "Ask Stripe now" not in page.text
        assert f"{DESK}/{request.id}/resolve" not in page.links


def test_what_was_refunded_without_governor_is_listed_with_its_room(
    world: World, provider: FakeProvider, cleo: Visitor
) -> None:
    payment = world.payment(5000)
    refund = provider.refund_elsewhere(payment, 700)
    world.drain(world.request(world.caller(), payment, 100))
    page = cleo.get("/console/e/test/external-refunds")
    row = next(one for one in page.all("tr") if refund.id in one.text)
    assert "$7.00" in row.text
    assert "settled" in row.text
