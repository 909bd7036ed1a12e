"""The last look at a limit: what a slip of the hand, or of the name, would make of it."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from tests.builders import World
from tests.console.browsing import Visitor

LIMITS = "/console/e/test/limits"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def test_a_new_limit_says_whom_it_would_not_find_and_what_is_narrower_anyway(
    world: World, cleo: Visitor
) -> None:
    world.limit(100_000, currency="gbp")
    form = cleo.get(f"{LIMITS}/new").form("Look at it")
    answers = {"scope": "agent", "measure": "amount", "currency": "gbp", "window": "day"}
    wide = cleo.send(form, **answers, value="no-such-bot", cap="5000.00")
    assert "There is no agent's key like this here" in wide.text
    assert "At most £1,000.00 a day for everybody together counts all of this, too" in wide.text
    bot = world.caller(agent="bot-of-this-test")
    fitting = cleo.send(form, **answers, value=bot.credential.agent, cap="999.99")
    assert "There is no agent's key" not in fitting.text
    assert "counts all of this, too" not in fitting.text
    other = cleo.send(form, **answers | {"window": "month"}, cap="5000.00")
    assert "counts all of this, too" not in other.text


@pytest.mark.parametrize("scope", ["agent", "credential"])
def test_a_key_that_works_no_more_is_as_one_that_is_not_here(world: World, cleo: Visitor, scope: str) -> None:
    """The likeliest slip: an old name, or the key that was replaced. One of several keys that works is enough."""
    old, other = (world.caller(name=f"{name} for {scope}", agent=f"kept-{scope}") for name in ("old", "new"))
    named = {"agent": f"kept-{scope}", "credential": old.credential.id}[scope]
    form = cleo.get(f"{LIMITS}/new").form("Look at it")
    answers = {"scope": scope, "measure": "amount", "currency": "gbp", "window": "day", "cap": "9.00"}
    revoke = world.app.manage_credentials.revoke
    assert "no agent's key" not in cleo.send(form, **answers, value=named).text
    revoke(world.operator, old.credential.id)
    looked = cleo.send(form, **answers, value=named).text
    assert ("no agent's key like this here that works" in looked) is (scope == "credential")
    revoke(world.operator, other.credential.id)
    assert "no agent's key like this here that works" in cleo.send(form, **answers, value=named).text


def test_a_cap_with_digits_too_many_is_said_to_be_many_times_as_much(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    assert "That is 100 times as much as now." in cleo.send(form, cap="300000").text
    assert "times as much" not in cleo.send(form, cap="29999.99").text


def test_what_stands_already_is_no_change(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    page = cleo.send(form, cap="3000")
    assert "Nothing changes: it stands as you typed it." in page.text
    assert not page.all("button", name="checked")
    raised = cleo.send(cleo.send(form, cap="4000", until="2 days").form("Raise it to $4,000.00"))
    again = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    assert "The limit was changed." in raised.text
    assert "Nothing changes" not in cleo.send(again, cap="4000").text
