"""The operators' overview: what waits, what nobody knows, and what is taken of the limits."""

from collections.abc import Callable

from flask import Flask

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.processes import ProcessKind
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.fakes.provider import FakeProvider
from tests.usecases.at_the_desk import in_doubt

OVERVIEW = "/console/e/test/overview"


def test_operators_begin_at_what_waits_and_what_is_taken(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    cleo = visitor(Role.OPERATOR)
    empty = cleo.get("/console/e/test")
    assert empty.address == OVERVIEW
    assert "No limit binds everybody" in empty.text
    limit = world.limit(200_000, approval_above=10_000)
    assert isinstance(world.provider, FakeProvider)
    in_doubt(world, world.provider)
    world.request(world.caller(), world.payment(50_000), 20_000)
    page = cleo.get(OVERVIEW)
    assert "For approval 1 request , the oldest asked" in page.text
    assert "In doubt 1 request" in page.text
    row = next(one for one in page.all("tr") if "$1,785.00" in one.text)
    assert "Cap" not in row.text
    assert "$2,000.00 $0.00 $215.00 $1,785.00" in row.text
    assert f"/console/e/test/limits/{limit.id}" in page.links
    assert len(page.all("figure", class_="chart")) == 3
    assert "< 15 minutes 1" in page.text


def test_what_is_stopped_is_said_at_the_top(world: World, visitor: Callable[[Role], Visitor]) -> None:
    eve = visitor(Role.AUDITOR)
    assert "Something is wrong" in _lead(eve.get(OVERVIEW)), "no worker runs"
    lives = [world.app.oversight.alive(kind) for kind in ProcessKind]
    assert all(one() for one in lives)
    assert "Refunds leave as they are decided" in _lead(eve.get(OVERVIEW))
    stop = FreezeDraft(Scope.CUSTOMER, "cus_stopped", "chargebacks")
    world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    assert "Some is stopped" in _lead(eve.get(OVERVIEW))
    for one in lives:
        one.leave()


def test_a_first_word_calls_for_the_second_person_and_for_nobody_else(
    world: World, visitor: Callable[[Role], Visitor], app: Flask, crew: Crew
) -> None:
    dora = Visitor(app)
    dora.sign_in(crew.somebody("dora", {"test": [Role.OPERATOR]}), PASSWORD)
    stop = FreezeDraft(Scope.PAYMENT, "pi_waits", "chargebacks")
    freeze, _ = world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    address = f"/console/e/test/freezes/{freeze.id}"
    dora.send(dora.get(address).form("Propose to go on"), reason="they were paid")
    cleo = visitor(Role.OPERATOR)
    called = cleo.get(OVERVIEW)
    assert "dora wants it to go on, and waits for your word." in called.text
    assert "of a limit wait" not in called.text, "nobody asked for one"
    assert "somebody else has to say so, too." in dora.get(OVERVIEW).text
    assert "waits for your word" not in visitor(Role.AUDITOR).get(OVERVIEW).text
    cleo.send(cleo.get(address).form("Let refunds go on"), reason="they were")
    assert "pi_waits" not in cleo.get(OVERVIEW).text


def _lead(page: Seen) -> str:
    return page.all("div", class_="heading")[0].text
