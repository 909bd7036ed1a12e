"""The limits of a day of the past: what they allowed, whose word that was, and why."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from governor.console.app import create_console
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.usecases.limit_series import Saying
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.usecases.limit_sayings import at, change, travel
from tests.usecases.limit_sayings import timed as timed

THEN = "/console/e/test/limits/then"


@pytest.fixture
def eve(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AUDITOR)


def test_a_limit_is_told_as_it_stood_with_who_said_so(world: World, eve: Visitor) -> None:
    limit = world.limit(70_000, scope=Scope.CUSTOMER, value="cus_then")
    made = world.app.limit_history.changes(world.operator, limit.id)[0].change.effective_at
    world.change_cap(limit, 50_000)
    today = world.app.store.now().date()
    page = eve.get(f"{THEN}?on={today}")
    (now,) = [row.text for row in page.all("tr") if "cus_then" in row.text]
    assert now.startswith("At most $500.00 a day for the customer cus_then asks nobody owner of operator")
    assert f"/console/e/test/limits/{limit.id}" in page.links
    moment = made.isoformat().replace("+", "%2B")
    (before,) = [row.text for row in eve.get(f"{THEN}?on={moment}").all("tr") if "cus_then" in row.text]
    assert before.startswith("At most $700.00 a day")
    yesterday = eve.get(f"{THEN}?on={today - timedelta(days=1)}")
    assert "There was no limit then" in yesterday.text


def test_many_limits_of_a_day_come_in_pages_and_what_had_ended_by_then_is_on_none(
    world: World, eve: Visitor
) -> None:
    made = [world.limit(1000, scope=Scope.CUSTOMER, value=f"cus_page_{number}") for number in range(5)]
    world.app.change_limit.archive(world.operator, made[2].id, AsSeen(made[2].revision))
    shown, address = list[str](), f"{THEN}?on={world.app.store.now().date()}&limit=2"
    while address:
        page = eve.get(address)
        rows = [row.text for row in page.all("tr")][1:]
        assert 1 <= len(rows) <= 2
        shown += [row.split("cus_page_")[1][0] for row in rows if "cus_page_" in row]
        address = next((link for link in page.links if "after=" in link), "")
    assert shown == ["0", "1", "3", "4"]


def test_it_begins_with_today_and_tells_nothing_of_the_future(world: World, eve: Visitor) -> None:
    (link,) = {one for one in eve.get("/console/e/test/limits").links if one.endswith("/then")}
    today = world.app.store.now()
    for page in (eve.get(link), eve.get(f"{THEN}?on=2199-01-01")):
        assert f"As they stood {today.day} {today:%b %Y}" in page.text


def test_a_day_is_told_as_it_ended_and_not_as_the_next_one_began(timed: World) -> None:
    """What is allowed for a day, from its midnight to the next, was allowed on that day and on no other."""
    limit = timed.limit(1000, scope=Scope.CUSTOMER, value="cus_then")
    change(timed, limit, 3000, Saying(effective_at=at(12), until=at(36)))
    travel(timed, 72)
    eve = Visitor(create_console(timed.app, trusted_hosts=["localhost"], key=b"k" * 32))
    eve.sign_in(Crew(timed).login(Role.AUDITOR), PASSWORD)
    told = [
        row.text.partition(" for ")[0]
        for day in ("2027-05-05", "2027-05-06", "2027-05-07")
        for row in eve.get(f"{THEN}?on={day}").all("tr")
        if "cus_then" in row.text
    ]
    assert told == ["At most $10.00 a day", "At most $30.00 a day", "At most $10.00 a day"]


@pytest.mark.parametrize("typed", ["15.11.2026", "yesterday", "2026-11-15T08:00:00"])
def test_what_is_no_day_is_refused_at_its_field_and_stays_there(eve: Visitor, typed: str) -> None:
    page = eve.get(f"{THEN}?on={typed}")
    assert page.status == 422
    assert "Type a date like 2026-11-30" in page.text
    assert page.all("input", name="on")[0].attributes["value"] == typed
