"""Limits in effect in the console: everything that counts one subject, where it comes from, and what is narrowest."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import unquote

import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.usecases.limit_series import Saying
from tests.builders import World, limit_draft
from tests.console.browsing import Visitor

LIMITS = "/console/e/test/limits"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def test_what_counts_for_somebody_is_shown_with_where_it_comes_from_and_the_narrowest(
    world: World, cleo: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    customer = world.limit(3_000, scope=Scope.CUSTOMER)
    week = Saying("a sale", until=world.app.store.now() + timedelta(days=7))
    draft = limit_draft(6_000, scope=Scope.CUSTOMER)
    world.app.change_limit.update(world.operator, customer.id, draft, AsSeen(customer.revision), week)
    bot = world.caller(name="sales", agent="bot-sales")
    world.limit(5_500, scope=Scope.CREDENTIAL, value=bot.credential.id)
    payment = world.payment(9_000, customer="cus_in_effect")
    request = world.request(bot, payment, 1_000)
    address = next(
        link
        for link in cleo.get(f"/console/e/test/refund-requests/{request.id}").links
        if "in-effect" in link
    )
    page = cleo.get(address)
    assert "Up to $45.00 USD at once" in page.text
    rows = [row.text for row in page.all("tr")]
    assert any(
        row.startswith("Daily limit of a key")
        and "Narrowest now set for this key $55.00 USD $10.00 USD $45.00 USD" in row
        for row in rows
    )
    theirs = next(row for row in rows if row.startswith("Daily limit of the customer cus_in_effect"))
    assert "each customer has it; $30.00 from" in theirs
    assert "Narrowest" not in theirs
    assert visitor(Role.APPROVER).get(address).status == 200
    assert visitor(Role.AGENT).get(address).status == 403


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("payment=ch_1", "A payment is a PaymentIntent id: pi_"),
        ("customer=ann%40example.com", "A customer is an id that begins with cus_."),
        ("credential=cred_nobody", "No agent here has this key."),
        ("payment=pi_nowhere", "The provider does not know this payment."),
        ("case=%C3%A9", "A case is up to 64"),
    ],
)
def test_whose_limits_cannot_be_meant_is_told_with_what_was_typed_kept(
    cleo: Visitor, query: str, words: str
) -> None:
    page = cleo.get(f"{LIMITS}/in-effect?{query}&agent=bot-7")
    assert page.status == 422
    assert words in page.text
    kept = {
        one.attributes["name"]: one.attributes.get("value", "")
        for one in page.all("input", class_="form-control")
    }
    assert kept["agent"] == "bot-7"
    assert kept[query.partition("=")[0]] == unquote(query.partition("=")[2])
