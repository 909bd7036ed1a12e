"""Stopping and starting in the console: one click stops, two people start."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from governor.domain.credentials import Kind, Role
from governor.domain.limits import Scope
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew

FREEZES = "/console/e/test/freezes"
EVERYTHING = FreezeDraft(Scope.ENVIRONMENT, None, "the test is over")


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


@pytest.fixture
def dora(app: Flask, crew: Crew) -> Visitor:
    """Another operator."""
    visitor = Visitor(app)
    visitor.sign_in(crew.somebody("dora", {"test": [Role.OPERATOR]}), PASSWORD)
    return visitor


@pytest.fixture(autouse=True)
def _nothing_stays_frozen(world: World) -> Iterator[None]:
    yield
    for freeze in world.app.queries.freezes(world.operator):
        draft = FreezeDraft(freeze.scope, freeze.value, "the test is over")
        world.app.freeze_refunds.freeze(world.operator, draft, fresh_key("again"))
        for name in ("one", "two"):
            person = world.caller(Role.OPERATOR, name, kind=Kind.HUMAN)
            world.app.freeze_refunds.unfreeze(person, draft, fresh_key("on"))


def test_one_person_stops_everything_and_two_start_it_again(
    world: World, cleo: Visitor, dora: Visitor
) -> None:
    form = cleo.get(FREEZES).form("Stop now")
    stopped = cleo.send(form, reason="the bank has called")
    assert "It is stopped: nothing of it is sent from now on." in stopped.text
    assert world.app.queries.environment(world.operator).frozen_reason == "the bank has called"
    assert cleo.send(form, reason="the bank has called").address == stopped.address
    first = cleo.send(stopped.form("Propose to go on"), reason="it was a mistake")
    assert "It stays stopped until somebody else says the same." in first.text
    assert "Somebody else has to say the same" in cleo.get(stopped.address).text
    assert world.app.queries.environment(world.operator).stopped is not None
    second = dora.get(stopped.address).form("Let refunds go on")
    done = dora.send(second, reason="I have called them back")
    for page in (done, dora.send(second, reason="I have called them back")):
        assert "It goes on: what was decided and waits is sent now." in page.text
    assert world.app.queries.environment(world.operator).stopped is None
    for reason in ("the bank has called", "it was a mistake", "I have called them back"):
        assert reason in done.text
    assert "Nothing is stopped" in dora.get(FREEZES).text


def test_the_same_person_is_no_second_one_in_another_tab(world: World, cleo: Visitor) -> None:
    stopped = cleo.send(cleo.get(FREEZES).form("Stop now"), reason="look at this")
    tabs = [cleo.get(stopped.address).form("Propose to go on") for _ in range(2)]
    cleo.send(tabs[0], reason="all is well")
    again = cleo.send(tabs[1], reason="all is well, really")
    assert again.status == 422
    assert "Somebody else has to say the same." in again.text
    assert world.app.queries.environment(world.operator).stopped is not None


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"scope": "environment", "reason": ""}, "Fill in: Why."),
        ({"scope": "environment", "reason": "\u200b\u200b"}, "Say it in words."),
        ({"scope": "customer", "reason": "why not"}, "every other scope has one"),
        ({"scope": "customer", "value": "somebody", "reason": "why not"}, "This is no customer"),
        ({"scope": "credential", "value": "cred_" + "0" * 26, "reason": "why not"}, "no such credential"),
    ],
)
def test_what_cannot_be_stopped_is_said_and_nothing_stops(
    world: World, cleo: Visitor, answers: dict[str, str], words: str
) -> None:
    page = cleo.send(cleo.get(FREEZES).form("Stop now"), **answers)
    assert page.status in {404, 422}
    assert words in page.text
    assert page.form("Stop now").value("value") == answers.get("value", "")
    assert world.app.queries.freezes(world.operator) == ()


def test_another_page_leads_here_with_what_is_meant(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{FREEZES}?scope=customer&value=cus_suspect").form("Stop now")
    cleo.send(form, reason="chargebacks")
    (freeze,) = world.app.queries.freezes(world.operator)
    assert (freeze.scope, freeze.value) == (Scope.CUSTOMER, "cus_suspect")
    assert f"{FREEZES}/{freeze.id}" in cleo.get(f"/console/e/test/find?q={freeze.id}").address
    assert f"{FREEZES}/{freeze.id}" in cleo.get(FREEZES).links
    assert cleo.get(f"{FREEZES}?scope=case&value=1").status == 400


def test_whoever_only_looks_sees_what_is_stopped_and_no_button(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    freeze, _ = world.app.freeze_refunds.freeze(world.operator, EVERYTHING, fresh_key("freeze"))
    for role in (Role.APPROVER, Role.AUDITOR):
        for address in (FREEZES, f"{FREEZES}/{freeze.id}"):
            page = visitor(role).get(address)
            assert "Everything in this environment" in page.title + page.text
            assert not [one for one in page.all("form") if "form-page" in one.attributes.get("class", "")]
    assert FREEZES not in visitor(Role.AGENT).get("/console/e/test/refund-requests").links


def test_approvers_are_led_to_what_they_cannot_change_by_no_navigation(
    visitor: Callable[[Role], Visitor],
) -> None:
    for address in ("/console/e/test/freezes", "/console/e/test/settings"):
        assert address in visitor(Role.OPERATOR).get("/console/e/test/help").links
        assert address not in visitor(Role.APPROVER).get("/console/e/test/help").links
        assert visitor(Role.APPROVER).get(address).status == 200


def test_whatever_can_be_stopped_leads_operators_to_the_button_with_it_typed_already(
    world: World, cleo: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    limit = world.limit(1_000_000)
    theirs = world.limit(1_000_000, scope=Scope.CUSTOMER, value="cus_stoppable")
    each = world.limit(1_000_000, scope=Scope.PAYMENT)
    bot = world.caller()
    payment = world.payment(5000, customer="cus_stoppable")
    request = world.request(bot, payment, 500)
    key = bot.credential.id
    here = "/console/e/test"
    leads = {
        f"{here}/refund-requests/{request.id}": {("payment", payment), ("customer", "cus_stoppable")},
        f"{here}/refund-requests?payment={payment}": {("payment", payment)},
        f"{here}/refund-requests?customer=cus_stoppable": {("customer", "cus_stoppable")},
        f"{here}/keys/{key}": {("credential", key)},
        f"{here}/limits/{theirs.id}": {("customer", "cus_stoppable")},
        f"{here}/limits/{limit.id}": {("environment", "")},
        f"{here}/limits/{each.id}": set(),
    }
    for address, meant in leads.items():
        links = [link for link in cleo.get(address).links if link.startswith(f"{FREEZES}?")]
        forms = [cleo.get(link).form("Stop now") for link in links]
        assert {(form.value("scope"), form.value("value")) for form in forms} == meant, address
        assert not [link for link in visitor(Role.AUDITOR).get(address).links if f"{FREEZES}?" in link]


def test_a_page_names_a_few_of_what_is_stopped_and_counts_the_others(world: World, cleo: Visitor) -> None:
    for number in range(5):
        draft = FreezeDraft(Scope.CUSTOMER, f"cus_stopped{number}", "looking")
        world.app.freeze_refunds.freeze(world.operator, draft, fresh_key("freeze"))
    (banner,) = cleo.get("/console/e/test/refund-requests").all("div", class_="stop")
    assert banner.text.count("cus_stopped") == 3
    assert "and 2 more" in banner.text
