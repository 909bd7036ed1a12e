"""Stand-ins in the console: named after a last look, seen by whom they concern, ended by a plain button."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.stand_ins import StandIn
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.rules import a_rule

PAGE = "/console/e/test/stand-ins"
FUTURE = "2099-01-01T00:00:00Z"


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


@pytest.fixture
def bo(app: Flask) -> Visitor:
    one = Visitor(app)
    one.sign_in("bo", PASSWORD)
    return one


@pytest.fixture(autouse=True)
def _nobody_stands_in(world: World, crew: Crew) -> None:
    """And there is somebody who could."""
    crew.somebody("bo", {"test": [Role.APPROVER]})
    for one in standing(world):
        world.app.stand_ins.end(world.operator, one.id)


def standing(world: World) -> list[StandIn]:
    now = world.app.store.now()
    return [one for one in world.app.stand_ins.seen_by(world.operator) if not one.over(now)]


def look(visitor: Visitor) -> Seen:
    return visitor.get(f"{PAGE}/name")


def until(world: World) -> str:
    """A date in a month."""
    at = world.app.store.now()
    return f"{at.year + at.month // 12}-{at.month % 12 + 1:02d}-28"


def name_bo(world: World, ben: Visitor) -> Seen:
    check = ben.send(look(ben).form("Look at it once more"), stand_in="bo", ends_at=until(world))
    return ben.send(check.form("Name bo as my stand-in"))


def test_a_stand_in_is_named_after_a_last_look_and_once(world: World, ben: Visitor, bo: Visitor) -> None:
    check = ben.send(look(ben).form("Look at it once more"), stand_in="bo", ends_at=until(world))
    assert "bo approves in your place from now on until" in check.text
    assert standing(world) == []
    form = check.form("Name bo as my stand-in")
    assert "bo stands in for you." in ben.send(form).text
    assert "bo stands in for you." in ben.send(form).text, "two clicks are one act"
    (one,) = standing(world)
    assert (one.away, one.stand_in) == ("ben", "bo")
    for visitor in (ben, bo):
        assert "Counts now" in visitor.get(PAGE).text


def test_the_last_look_says_in_utc_what_was_typed_in_another_zone(world: World, ben: Visitor) -> None:
    typed = {"begins_at": f"{until(world)}T08:00:00+10:00", "ends_at": f"{until(world)}T20:30:00-05:00"}
    check = ben.send(look(ben).form("Look at it once more"), stand_in="bo", **typed)
    for one in typed.values():
        at = datetime.fromisoformat(one).astimezone(UTC)
        assert f"{at.day} {at:%b %Y, %H:%M:%S} UTC" in check.text


def test_a_date_is_in_it_to_its_end_so_a_holiday_has_its_last_day(world: World, ben: Visitor) -> None:
    last = datetime.fromisoformat(until(world)).replace(tzinfo=UTC)
    end = last + timedelta(days=1)
    check = ben.send(look(ben).form("Look at it once more"), stand_in="bo", ends_at=f"{last:%Y-%m-%d}")
    assert f"until {end.day} {end:%b %Y, %H:%M:%S} UTC" in check.text
    ben.send(check.form("Name bo as my stand-in"))
    (one,) = standing(world)
    assert one.ends_at == end


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"ends_at": "soon"}, "a time with its zone"),
        ({"ends_at": "0001-01-01T00:00:00+10:00"}, "a time with its zone"),
        ({"ends_at": "2001-01-01"}, "later than now"),
        ({"ends_at": FUTURE}, "for 90 days at most"),
        ({"ends_at": ""}, "Fill in: Until."),
        ({"stand_in": "ben"}, "Choose one of the answers"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(
    world: World, ben: Visitor, typed: dict[str, str], words: str
) -> None:
    page = ben.send(
        look(ben).form("Look at it once more"), **({"stand_in": "bo", "ends_at": until(world)} | typed)
    )
    if page.status == 200:
        page = ben.send(page.form("Name bo as my stand-in"))
    assert page.status == 422
    assert words in page.text
    assert standing(world) == []


def test_the_stand_in_sees_it_under_mine_and_approves_it(world: World, ben: Visitor, bo: Visitor) -> None:
    world.limit(10_000_000)
    a_rule(world, approvers=("ben",))
    request = world.request(world.caller(), world.payment(50_000), 20_000)
    address = f"/console/e/test/holds/{request.hold}"
    assert "The rules ask other people to approve it." in bo.get(address).text
    assert address not in bo.get("/console/e/test/holds?view=mine").links
    name_bo(world, ben)
    assert address in bo.get("/console/e/test/holds?view=mine").links
    page = bo.get(address)
    assert "You stand in for ben : yours counts in their place." in page.text
    assert "bo stands in for ben ." in ben.get(address).text
    done = bo.send(page.form("Approve $200.00"))
    assert "bo (also in the place of ben )" in done.text
    assert world.now(request).state is State.QUEUED
    assert "In the place of ben" in ben.get(f"/console/e/test/refund-requests/{request.id}").text


def test_a_stand_in_whom_another_rule_names_is_told_that_theirs_is_not_enough(
    world: World, ben: Visitor, bo: Visitor
) -> None:
    """Ben's rule and Bo's are two approvals, though each of them asks for one."""
    world.limit(10_000_000)
    for login in ("ben", "bo"):
        a_rule(world, approvers=(login,), reasons=("fraudulent",))
    request = world.request(world.caller(), world.payment(50_000), 20_000, reason="fraudulent")
    address = f"/console/e/test/holds/{request.hold}"
    name_bo(world, ben)
    assert "needs ben; bo" in bo.get("/console/e/test/holds?view=team").text
    page = bo.get(address)
    assert "Yours counts, and is not enough. It still needs ben ." in page.text
    assert "It goes out" not in page.text
    bo.send(page.form("Approve $200.00"))
    assert world.now(request).state is State.PENDING_APPROVAL
    last = ben.get(address)
    assert "It goes out" in last.text
    ben.send(last.form("Approve $200.00"))
    assert world.now(request).state is State.QUEUED


@pytest.mark.parametrize("ender", ["ben", "bo", "operator"])
def test_each_of_the_two_and_operators_end_it(
    world: World, ben: Visitor, bo: Visitor, visitor: Callable[[Role], Visitor], ender: str
) -> None:
    name_bo(world, ben)
    one = {"ben": ben, "bo": bo}.get(ender) or visitor(Role.OPERATOR)
    done = one.send(one.get(PAGE).form("End"))
    assert "bo stands in for ben no more." in " ".join(said.text for said in done.all("div", class_="said"))
    assert standing(world) == []


def test_auditors_see_all_and_end_nothing(
    world: World, ben: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    name_bo(world, ben)
    eve = visitor(Role.AUDITOR)
    page = eve.get(PAGE)
    assert ("bo" in page.text, "ben" in page.text) == (True, True)
    assert not any(button.text == "End" for button in page.all("button"))
    (one,) = standing(world)
    assert eve.send(ben.get(PAGE).form("End")).status == 403
    assert standing(world) == [one]


def test_an_approver_sees_only_their_own(world: World, ben: Visitor, app: Flask, crew: Crew) -> None:
    name_bo(world, ben)
    other = Visitor(app)
    other.sign_in(crew.somebody("cy", {"test": [Role.APPROVER]}), PASSWORD)
    assert "Nobody stands in for you, or you for anybody" in other.get(PAGE).text


@pytest.mark.parametrize("other", [Role.OPERATOR, Role.AUDITOR])
def test_an_approver_with_another_role_sees_all_and_ends_what_either_role_may(
    world: World, ben: Visitor, app: Flask, crew: Crew, other: Role
) -> None:
    both = Visitor(app)
    login = crew.somebody(f"approver-and-{other}", {"test": [Role.APPROVER, other]})
    both.sign_in(login, PASSWORD)
    named = both.send(look(both).form("Look at it once more"), stand_in="bo", ends_at=until(world))
    both.send(named.form("Name bo as my stand-in"))
    both.send(both.get(PAGE).form("End"))
    assert standing(world) == [], "their own"
    name_bo(world, ben)
    page = both.get(PAGE)
    assert f"{PAGE}/name" in page.links
    assert page.all("td", data_label="For")[0].text == "ben"
    ends = [one for one in page.all("button") if one.text == "End"]
    assert len(ends) == (other is Role.OPERATOR), "somebody else's"
    if ends:
        both.send(page.form("End"))
        assert standing(world) == []
