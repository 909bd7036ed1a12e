"""A page that looks for itself how something stands is nobody's use of it: it keeps no session alive."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from governor.console import watching
from governor.domain.credentials import Role
from governor.ports.records import RequestFilter
from tests.builders import World
from tests.console.browsing import Seen, Visitor

NEW = "/console/e/test/refunds/new"
TEMPLATES = Path(watching.__file__).parent / "templates"


@pytest.fixture
def left(world: World, ada: Visitor) -> Visitor:
    """Ada's browser, which nobody has touched for ten minutes."""
    _leave(world, minutes=10)
    return ada


def _leave(world: World, *, minutes: int) -> None:
    """Whoever signed in last was seen so long ago."""
    with world.app.engine.begin() as connection:
        changed = connection.execute(
            text(
                "UPDATE sessions SET last_seen_at = now() - make_interval(mins => :minutes)"
                " WHERE id = (SELECT max(id) FROM sessions)"
            ),
            {"minutes": minutes},
        )
        assert changed.rowcount == 1


def _idle(world: World) -> timedelta:
    """For how long whoever signed in last was not seen."""
    with world.app.engine.connect() as connection:
        idle: timedelta = connection.execute(
            text("SELECT now() - last_seen_at FROM sessions ORDER BY id DESC LIMIT 1")
        ).scalar_one()
    return idle


def test_a_page_that_watches_shows_how_it_stands_and_counts_as_no_use(world: World, left: Visitor) -> None:
    page = left.get(NEW, **{watching.HEADER: "yes"})
    assert page.status == 200
    assert _idle(world) >= timedelta(minutes=10)
    assert "data-over-in" in page.html
    assert left.get(NEW).status == 200
    assert _idle(world) < timedelta(minutes=1)


def test_sending_a_form_is_use_whatever_it_says_of_itself(world: World, left: Visitor) -> None:
    left.post(f"{NEW}/verdict", {}, **{watching.HEADER: "yes"})
    assert _idle(world) < timedelta(minutes=1)


def test_what_watches_when_the_session_is_over_is_asked_for_anew(world: World, left: Visitor) -> None:
    _leave(world, minutes=60)
    over = left.get(NEW, **{watching.HEADER: "yes"})
    assert (over.status, over.response.headers.get("HX-Refresh"), over.html) == (401, "true", "")
    assert left.get(NEW).title == "Sign in"


def test_what_watches_a_refund_sees_it_change_and_asks_for_the_whole_page_when_it_is_final(
    world: World, ada: Visitor
) -> None:
    world.limit(1_000_000)
    payment = world.payment(5000)
    check = ada.send(ada.get(f"{NEW}?payment={payment}").form("Look at the verdict"), amount="2.00")
    result = ada.send(check.form("Refund $2.00"))
    _watches_alone(result, "how")
    assert ada.get(result.address, **{watching.HEADER: "yes"}).status == 200
    (request,) = world.app.queries.requests(
        world.operator, RequestFilter(payments=(payment,)), after=None, at_most=2
    )
    world.drain(request)
    _brings_the_whole_page(ada, result.address)
    assert "We have refunded $2.00" in ada.get(result.address).text


def test_what_watches_a_run_asks_for_the_whole_page_when_it_ended(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    eve = visitor(Role.AUDITOR)
    page = eve.send(eve.get("/console/e/test/runs/new/export-trail").form("Begin"))
    _watches_alone(page, "progress")
    assert page.form("Cancel it").method == "POST"
    assert eve.get(page.address, **{watching.HEADER: "yes"}).status == 200
    while world.app.long_work.carry_out(bool) is not None:
        pass
    _brings_the_whole_page(eve, page.address)
    assert "Its files" in eve.get(page.address).text


def _watches_alone(page: Seen, name: str) -> None:
    """The part is all that a lasting status holds, and nobody is anywhere in it while they wait."""
    (region,) = [
        one
        for one in page.all("div", role="status")
        if any(part.attributes.get("id") == name for part in one.all())
    ]
    (part,) = [child for child in region.children if not isinstance(child, str)]
    assert (part.attributes["id"], part.attributes["hx-select"]) == (name, f"#{name}")
    assert [one.tag for one in part.all() if one.tag in {"a", "button", "input", "form"}] == []


def _brings_the_whole_page(somebody: Visitor, address: str) -> None:
    seen = somebody.get(address, **{watching.HEADER: "yes"})
    assert (seen.status, seen.response.headers.get("HX-Refresh"), seen.html) == (204, "true", "")
    assert "hx-trigger" not in somebody.get(address).html, "and it watches no more"


def test_every_part_of_a_page_that_watches_says_so() -> None:
    watched = {path for path in TEMPLATES.rglob("*.html") if 'hx-trigger="every' in path.read_text("utf-8")}
    assert watched == {TEMPLATES / "parts.html"}
    assert watching.HEADER == "Governor-Watching"
    assert f'"{watching.HEADER}"' in (TEMPLATES / "parts.html").read_text("utf-8")
