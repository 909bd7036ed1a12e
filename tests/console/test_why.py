"""Why something was decided: each kind of decision explained by the policy of then, and evaluated to the same verdict."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.limits import Limit, Scope
from governor.domain.money import Money
from governor.domain.requests import RefundRequest
from governor.domain.rules import RuleEffect
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
    rule: RuleEffect | None = None


CASES = {
    "admitted at once": Case(100, ("Admitted at once",)),
    "held by a limit": Case(
        20_001, ("Held for approval.", "asked for approval above $200.00 USD ; this was $200.01 USD")
    ),
    "denied by a limit": Case(
        1_000_001, ("Denied. A limit has no room for it.", "; this was $10,000.01 USD .")
    ),
    "held by a rule": Case(
        100, ("Held for approval.", "The rule goodwill asks for approval."), RuleEffect.APPROVAL
    ),
    "denied by a rule": Case(100, ("Denied.", "The rule goodwill refuses it."), RuleEffect.DENY),
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


def test_who_approved_it_and_on_what_facts_is_on_the_page_that_says_why(world: World, eve: Visitor) -> None:
    asker, approver = world.caller(owner="Ana"), world.approver("bo", owner="Bo Bell")
    request = world.request(asker, world.payment(50_000), 30_000)
    world.decide(approver, request, Choice.APPROVE_LESS, amount=25_000)
    page = _why(eve, request)
    assert re.search(r"Approved in part: \$250\.00 by Bo Bell \d+ \w+ 2\d{3}", page.text)
    assert "approve_less, I looked" in page.text
    assert (
        "The payment, as approvers saw it Captured $500.00 USD Refunded elsewhere $0.00 USD Dispute none"
        in page.text
    )
    assert f"/console/e/test/holds/{request.hold}" in page.links
    assert re.search(r"Row \d+ : Approved in part \$250\.00 of \$300\.00 by Bo Bell , ", page.text)


def test_a_denial_names_the_limit_that_had_no_room(world: World, eve: Visitor) -> None:
    customer = world.limit(500, scope=Scope.CUSTOMER, value="cus_full")
    request = world.request(world.caller(), world.payment(5000, customer="cus_full"), 600)
    assert (
        "Daily limit of the customer cus_full had $5.00 USD left of $5.00 USD ; this was $6.00 USD ."
        in _why(eve, request).text
    )
    assert f"/console/e/test/limits/{customer.id}" in _why(eve, request).links
