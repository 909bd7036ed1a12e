"""Agents in the console: what the people who answer for one look at, and the end of all its keys at once."""

from collections.abc import Callable

import pytest
from flask import Flask

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew
from tests.freezing import freeze, unfreeze
from tests.usecases.test_delegation import child_of

HERE = "/console/e/test"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(1_000_000, approval_above=10_000)


@pytest.fixture
def zoe(app: Flask, crew: Crew) -> Visitor:
    """Somebody who answers for an agent."""
    visitor = Visitor(app)
    visitor.sign_in(crew.somebody("zoe", {"test": [Role.AGENT]}), PASSWORD)
    return visitor


def test_whoever_answers_for_an_agent_sees_it_and_ends_all_its_keys(
    world: World, zoe: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    keys = [world.caller(name=f"bot-key-{n}", agent="zoes-bot", owner="zoe") for n in range(2)]
    child = child_of(world, keys[0], "bot-child")
    world.limit(70_000, scope=Scope.CREDENTIAL, value=child.credential.id)
    world.limit(9_000, scope=Scope.CUSTOMER, value="cus_single")
    sent, waits = (world.request(child, world.payment(50_000), amount) for amount in (500, 20_000))
    world.drain(sent)
    address = f"{HERE}/agents/{keys[0].credential.id}"
    assert address in zoe.get(f"{HERE}/agents").links
    assert address in zoe.get(f"{HERE}/keys/{keys[0].credential.id}").links
    for seen in (zoe.get(address), visitor(Role.OPERATOR).get(address), visitor(Role.AUDITOR).get(address)):
        assert seen.status == 200
        assert "Asked for 2 refunds" in seen.text
        assert "Refunded 1 (50 %)" in seen.text
        assert "Waits for approval 1 (50 %)" in seen.text
        assert "Money refunded $5.00 USD" in seen.text
        assert f"↳ bot-child gvk_test_{child.credential.id.removeprefix('cred_')}_" in seen.text
        assert f"{HERE}/refund-requests/{waits.id}" in seen.links
        assert "Daily limit of the environment Narrowest now everybody shares it" in seen.text
        assert f"$700.00 a day for the key {child.credential.id}" in seen.text
        assert "One limit more is set for single ones of what is not named here" in seen.text
        assert f'<a href="{HERE}/agents" aria-current="page">' in seen.response.text, (
            "it stands below the agents"
        )
    assert visitor(Role.AGENT).get(address).status == 404
    assert visitor(Role.APPROVER).get(address).status == 403
    ask = zoe.get(f"{address}/revoke").form("Revoke them")
    empty = zoe.send(ask, reason=" ")
    assert (empty.status, "Say why it ends." in empty.text) == (422, True)
    for done in (zoe.send(ask, reason="it was leaked"), zoe.send(ask, reason="it was leaked")):
        assert "All its keys are revoked." in done.text
        assert "No key opens anything" in done.text
    assert world.now(waits).state is State.CANCELED
    assert "None of its keys opens anything." in zoe.get(f"{address}/revoke").text


def test_a_key_that_is_stopped_is_said_to_be(world: World, visitor: Callable[[Role], Visitor]) -> None:
    bot = world.caller(name="looping", agent="looping-bot")
    child = child_of(world, bot, "below")
    cleo, address = visitor(Role.OPERATOR), f"{HERE}/agents/{bot.credential.id}"
    button = next(link for link in cleo.get(address).links if f"value={bot.credential.id}" in link)
    cleo.send(cleo.get(button).form("Stop now"), reason="it loops")
    page, offers = cleo.get(address), "/freezes?scope=credential"
    rows = [row.text for row in page.all("tr") if "looping" in row.text or "below" in row.text]
    assert [row.endswith("Stopped") for row in rows] == [True, True], "what is frozen stops all below it"
    assert not any(offers in link for link in page.links)
    for key in (bot, child):
        page = cleo.get(f"{HERE}/keys/{key.credential.id}")
        assert "Stopped" in [one.text for one in page.all("span", class_="badge")]
        assert not any(offers in link for link in page.links)
    listed = [row.text for row in cleo.get(f"{HERE}/keys").all("tr") if "looping-bot" in row.text]
    assert [row.endswith("Stopped") for row in listed] == [True, True]


def test_an_agent_of_an_environment_that_is_stopped_is_said_to_send_nothing(
    world: World, zoe: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    key = world.caller(name="idle", agent="idle-bot", owner="zoe")
    address, words = (
        f"{HERE}/agents/{key.credential.id}",
        "Nothing of it is sent now, whatever limits say",
    )
    assert words not in zoe.get(address).text
    frozen = freeze(world, Scope.ENVIRONMENT)
    assert f"{words}: stopped by" in visitor(Role.OPERATOR).get(address).text
    assert f"{words}." in zoe.get(address).text
    unfreeze(world, frozen)
    assert words not in zoe.get(address).text


def test_only_who_may_ends_an_agent(world: World, visitor: Callable[[Role], Visitor]) -> None:
    bot = world.caller(name="nobodys", agent="nobodys-bot")
    address = f"{HERE}/agents/{bot.credential.id}"
    assert f"{address}/revoke" not in visitor(Role.AUDITOR).get(address).links
    assert visitor(Role.AUDITOR).get(f"{address}/revoke").status == 403
    assert visitor(Role.AGENT).get(f"{address}/revoke").status == 404
    form = visitor(Role.OPERATOR).get(f"{address}/revoke").form("Revoke them")
    visitor(Role.OPERATOR).send(form, reason="it loops")
    assert world.app.see_agents.of_key(world.operator, bot.credential.id).alive == ()


def test_whoever_answers_for_nobody_is_told_so(visitor: Callable[[Role], Visitor], crew: Crew) -> None:
    assert "You answer for no agent" in visitor(Role.AGENT).get(f"{HERE}/agents").text
    membership = crew.member(Role.OPERATOR)
    assert visitor(Role.OPERATOR).get(f"{HERE}/agents/{membership}").status == 404
