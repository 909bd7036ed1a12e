"""How the rules do, in the console: what each costs people, and whether anybody still reads what it holds."""

from collections.abc import Callable

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.rule_health import FEWEST_DECIDED
from governor.domain.rules import RuleEffect
from tests.builders import World
from tests.console.browsing import Visitor
from tests.rules import a_rule

HEALTH = "/console/e/test/rules/health"
OVERVIEW = "/console/e/test/overview"


def test_a_rule_that_people_approve_by_habit_and_one_that_never_fires_are_named(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    cleo = visitor(Role.OPERATOR)
    assert "There are no rules" in cleo.get(HEALTH).text
    world.limit(10_000_000)
    asks = a_rule(world, name="Asks <always>")
    a_rule(world, RuleEffect.DENY, name="Only yen", currency="jpy")
    assert "Nothing was asked for in the last 30 days" in cleo.get(HEALTH).text
    agent, ben = world.caller(), world.approver()
    for _ in range(FEWEST_DECIDED):
        world.decide(ben, world.request(agent, world.payment(5000), 1000), Choice.APPROVE)
    world.request(agent, world.payment(5000), 1000)
    page = cleo.get(HEALTH)
    assert "People approve nearly everything that Asks <always> holds" in page.text
    assert "Only yen fired for nothing" in page.text
    assert "Of the 11 requests since" in page.text
    rows = {row.text.partition(" ")[0]: row.text for row in page.all("tr")}
    assert rows["Asks"].startswith("Asks <always> Always approved 11 11 1 waits 0 100 % 10 of 10"), (
        "fired, held, denied, approved"
    )
    assert " s $110.00" in rows["Asks"], "decided within seconds, and at stake"
    assert rows["Only"] == "Only yen Never fired 0 0 0 none decided none decided nothing"
    assert f"/console/e/test/rules/{asks.id}" in page.links
    assert "People approve 100 % of what a rule holds" in cleo.get(OVERVIEW).text
    assert HEALTH in visitor(Role.APPROVER).get("/console/e/test/rules").links
