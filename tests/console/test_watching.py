"""A page that looks for itself how something stands is nobody's use of it: it keeps no session alive."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from governor.console import watching
from tests.builders import World
from tests.console.browsing import Visitor

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


def test_every_part_of_a_page_that_watches_says_so() -> None:
    watched = {path for path in TEMPLATES.rglob("*.html") if 'hx-trigger="every' in path.read_text("utf-8")}
    assert watched == {TEMPLATES / "parts.html"}
    assert watching.HEADER == "Governor-Watching"
    assert f'"{watching.HEADER}"' in (TEMPLATES / "parts.html").read_text("utf-8")
