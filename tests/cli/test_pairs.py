"""T30: who approves whom, on decisions that were really made."""

import pytest

from governor.domain.approval import Choice
from governor.domain.pairs import MANY
from tests.builders import World
from tests.cli.telling import tell
from tests.stack import settings_as_variables
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world


@pytest.fixture
def decided(world: World) -> World:
    """Bob says yes to all that Ana asks for; Dora says no to Cem once, and yes once."""
    world.limit(1_000_000, approval_above=100)
    ana, cem = world.caller(name="ana", owner="Ana"), world.caller(name="cem", owner="Cem")
    bob, dora = world.approver("bob", owner="Bob"), world.approver("dora", owner="Dora")
    for _ in range(MANY):
        world.decide(bob, world.request(ana, world.payment(), 700), Choice.APPROVE)
    for choice in (Choice.REJECT, Choice.APPROVE):
        world.decide(dora, world.request(cem, world.payment(), 300), choice)
    return world


def test_an_unusual_pair_is_told_with_what_it_let_through(
    decided: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings_as_variables(decided.app.settings).items():
        monkeypatch.setenv(name, value)
    heard = tell("audit", "pairs", "--json")
    assert heard.code == 0
    assert heard.value["data"] == [
        {
            "asker": "Ana",
            "approver": "Bob",
            "approved": MANY,
            "rejected": 0,
            "amounts": {"usd": 700 * MANY},
            "unusual": True,
        },
        {
            "asker": "Cem",
            "approver": "Dora",
            "approved": 1,
            "rejected": 1,
            "amounts": {"usd": 300},
            "unusual": False,
        },
    ]
    assert tell("audit", "pairs", "--to", "2020-01-01").text == "nobody has decided anything\n"
