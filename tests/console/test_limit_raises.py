"""Raises in the console: for a time, from a time on, and by two people."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from flask import Flask

from governor.domain.credentials import Role
from governor.domain.environments import Mode
from governor.domain.limits import Limit, Scope
from governor.usecases.callers import host
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew

LIMITS = "/console/e/test/limits"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def cap_of(world: World, limit: Limit) -> int:
    return world.app.queries.limit(world.operator, limit.id).cap


def test_a_raise_for_a_time_is_said_with_its_reason_and_taken_back(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    check = cleo.send(form, cap="5000", until="2099-01-01", reason="the sale")
    assert "2 Jan 2099, 00:00:00 UTC" in check.text, "a date is in it to its end"
    after = cleo.send(check.form("Raise it to $5,000.00"))
    assert "the sale" in after.text
    assert cap_of(world, limit) == 500_000
    assert cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change").value("cap") == "3000.00"
    change = next(one for one in after.links if "/changes/" in one)
    button = cleo.get(change).form("Take it back")
    for _ in range(2):
        assert "It is withdrawn." in cleo.send(button, reason="it is over").text
    assert cap_of(world, limit) == 300_000
    assert cleo.get(f"{LIMITS}/{limit.id}/changes/chg_{'0' * 26}").status == 404


def test_what_is_to_come_counts_from_its_own_time_on(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    check = cleo.send(form, cap="1", effective_at="2099-01-01T18:00:00+10:00")
    assert "1 Jan 2099, 08:00:00 UTC" in check.text
    button = check.form("Lower it to $1.00")
    assert "It counts from its own time on." in cleo.send(button).text
    assert "It is said as you asked." in cleo.send(button).text
    assert cap_of(world, limit) == 300_000
    assert "To come At most $1.00, from 1 Jan 2099, 08:00:00 UTC" in cleo.get(LIMITS).text
    assert "To come At most $1.00, from 1 Jan 2099, 08:00:00 UTC" in cleo.get(f"{LIMITS}/{limit.id}").text
    for typed, words in (
        ("soon", "Type how long, like 4 hours or 2 days"),
        ("2099-01-01T08:00", "a time with its zone"),
        ("2020-01-01", "A change ends after it begins."),
        ("9999999 days", "At most 366 days"),
    ):
        page = cleo.send(cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change"), until=typed)
        assert page.status == 422
        assert words in page.text


def test_a_raise_for_some_hours_ends_as_it_was_shown_and_what_stands_for_good_cannot_be_withdrawn(
    world: World, cleo: Visitor
) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    before = world.app.store.now()
    button = cleo.send(form, cap="5000", until="4 hours").form("Raise it to $5,000.00")
    shown = datetime.fromisoformat(button.value("until") or "")
    assert before <= shown - timedelta(hours=4) <= world.app.store.now()
    after = cleo.send(button)
    raised, lasting = world.app.limit_history.changes(world.operator, limit.id)
    assert raised.change.until == shown
    assert "To come At most $3,000.00, from" in after.text
    assert "Counts again later" in after.text
    assert [one for one in after.links if "/changes/" in one] == [
        f"{LIMITS}/{limit.id}/changes/{raised.change.id}"
    ]
    assert "Withdraw it" not in cleo.get(f"{LIMITS}/{limit.id}/changes/{lasting.change.id}").text


def test_where_raises_need_two_another_person_confirms(
    world: World, cleo: Visitor, app: Flask, crew: Crew
) -> None:
    dora = Visitor(app)
    dora.sign_in(crew.somebody("dora", {"test": [Role.OPERATOR]}), PASSWORD)
    limit = world.limit(300_000, scope=Scope.CUSTOMER)
    here = world.app.queries.environment(world.operator)
    draft = EnvironmentDraft(Mode.ENFORCE, 1000, 3600)
    world.app.change_environment(world.operator, replace(draft, raises_need_two=True), here.revision)
    try:
        form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
        check = cleo.send(form, cap="4000")
        after = cleo.send(check.form("Raise it to $4,000.00"))
        assert "It allows more, so it waits for a second person" in after.text
        assert "cleo wants it, and it waits for a second person." in after.text
        change = next(one for one in after.links if "/changes/" in one)
        assert "Confirm it" not in cleo.get(change).text
        assert cap_of(world, limit) == 300_000
        entry = next(one for one in dora.get(LIMITS).all("a", href=LIMITS) if "waiting" in one.text)
        assert "1 waiting" in entry.text
        word = dora.get(change).form("Confirm it")
        for _ in range(2):
            assert "yours is the second word" in dora.send(word, reason="agreed").text
        assert cap_of(world, limit) == 400_000
        ending = cleo.get(f"{LIMITS}/{limit.id}/archive").form("Archive this limit")
        assert "it waits for a second person" in cleo.send(ending, reason="over").text
        assert not world.app.queries.limit(world.operator, limit.id).archived
    finally:
        here = world.app.queries.environment(world.operator)
        world.app.change_environment(host("test"), draft, here.revision)
