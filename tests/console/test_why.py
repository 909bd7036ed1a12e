"""Why something was decided: each kind of decision explained by the policy of then, and evaluated to the same verdict."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Limit
from governor.domain.money import Money
from governor.domain.requests import RefundRequest
from governor.domain.rules import Effect
from governor.http.money_display import amount_display
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.rules import a_rule, idle_rule

SAME = "Evaluated again from what was kept: the same verdict."


@pytest.fixture
def eve(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AUDITOR)


@pytest.fixture(autouse=True, scope="module")
def limit(world: World) -> Limit:
    return world.limit(1_000_000, approval_above=20_000)


def _why(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"/console/e/test/refund-requests/{request.id}/why")


@dataclass(frozen=True)
class Case:
    """A request of so much, under a rule if there is one, and what its page says."""

    amount: int
    says: tuple[str, ...]
    rule: Effect | None = None


CASES = {
    "admitted at once": Case(100, ("Admitted at once",)),
    "held by a limit": Case(
        20_001, ("Held for approval.", "asked for approval above $200.00 USD ; this was $200.01 USD")
    ),
    "denied by a limit": Case(1_000_001, ("Denied. A limit has no room for it.", "no")),
    "held by a rule": Case(
        100, ("Held for approval.", "The rule goodwill asks for approval."), Effect.APPROVAL
    ),
    "denied by a rule": Case(100, ("Denied.", "The rule goodwill refuses it."), Effect.DENY),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_kind_of_decision_is_explained_by_the_policy_of_then(
    world: World, limit: Limit, eve: Visitor, case: Case
) -> None:
    """What comes after the decision, another cap and the end of the rule, changes nothing in its explanation."""
    if case.rule is not None:
        a_rule(world, case.rule, name="goodwill")
    before = world.app.queries.limit(world.operator, limit.id)
    request = world.request(world.caller(), world.payment(5_000_000), case.amount)
    idle_rule(world)
    world.change_cap(before, before.cap - 1)
    page = _why(eve, request)
    assert SAME in page.text
    for words in case.says:
        assert words in page.text
    assert amount_display(Money(before.cap, "usd")) in page.text
    assert "of the limits" in page.text


def test_without_any_limit_nothing_is_allowed_and_the_page_says_so(world: World, eve: Visitor) -> None:
    request = world.request(world.caller(), world.payment(5000, "eur"), 100, currency="eur")
    page = _why(eve, request)
    assert SAME in page.text
    assert "Refunds are denied where no limit allows an amount." in page.text


def test_what_rested_on_the_payment_is_not_claimed_to_be_evaluated(world: World, eve: Visitor) -> None:
    payment = world.payment(5000)
    first = world.request(world.caller(), payment, 100)
    again = world.request(world.caller(), payment, 100)
    assert (first.denial, str(again.denial)) == (None, "possible_duplicate")
    page = _why(eve, again)
    assert "this cannot be evaluated again" in page.text
    assert SAME not in page.text
