"""A page that looks for itself how something stands is nobody's use of it: it keeps no session alive."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from governor.console import watching
from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome, Reply
from governor.ports.records import RequestFilter
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import LOGINS
from tests.fakes.provider import FakeProvider

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


def test_what_watches_a_refund_asks_for_the_whole_page_once_it_stands_otherwise(
    world: World, ada: Visitor
) -> None:
    """The words for the customer, the question and the buttons are of the same moment as the state beside them."""
    world.limit(1_000_000)
    payment = world.payment(5000)
    check = ada.send(ada.get(f"{NEW}?payment={payment}").form("Look at the verdict"), amount="2.00")
    result = ada.send(check.form("Refund $2.00"))
    watched = _watches_alone(result, "how")
    _brings_nothing(ada, watched)
    (request,) = world.app.queries.requests(
        world.operator, RequestFilter(payments=(payment,)), after=None, at_most=2
    )
    world.drain(request)
    _brings_the_whole_page(ada, watched)
    page = ada.get(result.address)
    assert "We have refunded $2.00" in page.text
    assert "hx-trigger" not in page.html, "and it watches no more"


def test_a_question_and_its_answer_are_seen_by_whoever_watches(world: World, ada: Visitor) -> None:
    world.limit(1_000_000, currency="eur", approval_above=1)
    asker = world.caller(agent=LOGINS[Role.AGENT])
    held = world.request(asker, world.payment(5000, "eur"), 1240, currency="eur")
    address = f"/console/e/test/refund-requests/{held.id}"
    before = _watches_alone(ada.get(address), "how")
    world.decide(world.approver(), held, Choice.RETURN)
    _brings_the_whole_page(ada, before)
    asked = _watches_alone(ada.get(address), "how")
    _brings_nothing(ada, asked)
    world.app.answer_question(asker, held.id, "It was broken.", "an-answer-of-ada")
    _brings_the_whole_page(ada, asked)


def test_a_wish_that_comes_too_late_is_seen_by_whoever_watches(
    world: World, ada: Visitor, provider: FakeProvider
) -> None:
    """Invariant 16: the state stays what it is, and what the page says of it does not."""
    world.limit(1_000_000)
    request = world.request(world.caller(agent=LOGINS[Role.AGENT]), world.payment(5000), 300)
    provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
    world.drain(request)
    watched = _watches_alone(ada.get(f"/console/e/test/refund-requests/{request.id}"), "how")
    _brings_nothing(ada, watched)
    world.app.cancel_refund(world.operator, request.id, "a-wish-of-the-operator")
    assert world.now(request).state is State.UNKNOWN
    _brings_the_whole_page(ada, watched)


def test_what_watches_a_run_asks_for_the_whole_page_when_it_ended(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    eve = visitor(Role.AUDITOR)
    page = eve.send(eve.get("/console/e/test/runs/new/export-trail").form("Begin"))
    watched = _watches_alone(page, "progress")
    assert page.form("Cancel it").method == "POST"
    assert eve.get(watched, **{watching.HEADER: "yes"}).status == 200
    while world.app.long_work.carry_out(bool) is not None:
        pass
    _brings_the_whole_page(eve, watched)
    ended = eve.get(page.address)
    assert "Its files" in ended.text
    assert "hx-trigger" not in ended.html, "and it watches no more"


def _watches_alone(page: Seen, name: str) -> str:
    """Where the part looks; it is all that a lasting status holds, and nobody is anywhere in it while they wait."""
    (region,) = [
        one
        for one in page.all("div", role="status")
        if any(part.attributes.get("id") == name for part in one.all())
    ]
    (part,) = [child for child in region.children if not isinstance(child, str)]
    assert (part.attributes["id"], part.attributes["hx-select"]) == (name, f"#{name}")
    assert [one.tag for one in part.all() if one.tag in {"a", "button", "input", "form"}] == []
    return part.attributes["hx-get"]


def _brings_nothing(somebody: Visitor, address: str) -> None:
    seen = somebody.get(address, **{watching.HEADER: "yes"})
    assert (seen.status, seen.response.headers.get("HX-Refresh"), seen.html) == (204, None, "")


def _brings_the_whole_page(somebody: Visitor, address: str) -> None:
    seen = somebody.get(address, **{watching.HEADER: "yes"})
    assert (seen.status, seen.response.headers.get("HX-Refresh"), seen.html) == (204, "true", "")


def test_every_part_of_a_page_that_watches_says_so() -> None:
    watched = {path for path in TEMPLATES.rglob("*.html") if 'hx-trigger="every' in path.read_text("utf-8")}
    assert watched == {TEMPLATES / "parts.html"}
    assert watching.HEADER == "Governor-Watching"
    assert f'"{watching.HEADER}"' in (TEMPLATES / "parts.html").read_text("utf-8")
