"""The operators' overview: what waits, what nobody knows, and what is taken of the limits."""

import re
from collections.abc import Callable

from sqlalchemy import text

from adapters.this_process import this_process
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.processes import ProcessKind
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
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
    assert "$215.00" in row.text
    assert f"/console/e/test/limits/{limit.id}" in page.links
    assert len(page.all("figure", class_="chart")) == 2
    assert "< 15 minutes 1" in page.text


def test_what_is_stopped_is_said_at_the_top(world: World, visitor: Callable[[Role], Visitor]) -> None:
    eve = visitor(Role.AUDITOR)
    assert "Refunds leave as they are decided" in _lead(eve.get(OVERVIEW))
    stop = FreezeDraft(Scope.CUSTOMER, "cus_stopped", "chargebacks")
    world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    assert "Some is stopped" in _lead(eve.get(OVERVIEW))


def _lead(page: Seen) -> str:
    return page.all("div", class_="heading")[0].text


def test_a_process_that_is_missing_is_said_with_what_waits_for_it(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    cleo = visitor(Role.OPERATOR)
    for page in (cleo.get(OVERVIEW), cleo.get("/console/e/test/queue")):
        assert "No worker runs: nothing is sent, and no event is read." in page.text
    assert "No messenger runs" not in cleo.get(OVERVIEW).text, "there is no endpoint"
    lives = [world.app.oversight.alive(kind) for kind in (*ProcessKind, ProcessKind.WORKER)]
    assert all(one() for one in lives)
    page = cleo.get(OVERVIEW)
    assert "Nothing. Every process lives" in page.text
    worker = next(one for one in page.all("tr") if one.text.startswith("Worker"))
    assert re.search(r"2 live \d+ s ago Sends refunds .* release \d", worker.text)
    assert re.search(r"Worker 2 live, last seen \d+ s ago", cleo.get("/console/e/test/queue").text)
    for one in lives:
        one.leave()
    assert "No worker runs" in cleo.get(OVERVIEW).text


def test_a_process_that_died_is_shown_until_it_is_forgotten(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    died = this_process(ProcessKind.WORKER)
    with world.app.engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO processes VALUES (:id, 'worker', '<b>host</b>', 17, '1.0', now() - interval '1 hour',"
                " now() - interval '5 minutes')"
            ),
            {"id": died.id},
        )
    page = visitor(Role.OPERATOR).get(OVERVIEW)
    assert "Gone <b>host</b> , process 17: no word since 5 minutes ago" in page.text
    assert "No worker runs" in page.text
