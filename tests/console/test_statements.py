"""How much a page asks the database: no more where there is more. What is asked for each line of a list is noticed here."""

from collections.abc import Callable

from governor.console.pages import PAGES
from governor.domain.credentials import Role
from tests.asked import counted
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.examples import address_of, examples

MORE = 12
"""So many more of everything that a page can show."""
FEW = 10
"""A longer trail takes some looks more to find a moment in, and a payment may have to be read again meanwhile."""

LOOKING = [page for page in PAGES if page.method == "GET" and not page.is_file]


def asked_by(world: World, visitor: Callable[[Role], Visitor], ids: dict[str, str]) -> dict[str, int]:
    """How many statements each page takes, by whoever sees most of it."""
    found = {}
    for page in LOOKING:
        with counted(world.app.engine) as said:
            assert visitor(page.roles[0]).get(address_of("test", page.rule, ids)).status == 200, page.rule
        found[page.rule] = len(said)
    return found


def test_no_page_asks_more_of_the_database_the_more_there_is(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    for role in Role:
        visitor(role)
    for _ in range(4):
        world.limit(1_000_000_000)  # as many as the overview plots
    ids = examples(world) | {"credential_id": world.caller(name="theirs", owner="ada").credential.id}
    few = asked_by(world, visitor, ids)
    for _ in range(MORE):
        world.app.long_work.runs.cancel(world.operator, examples(world)["run_id"])
    many = asked_by(world, visitor, ids)
    assert min(few.values()) > 0, "they are counted"
    assert {rule: by for rule in few if (by := many[rule] - few[rule]) > FEW} == {}
