"""What a hold's page says of the act, the payment and the customer, and that it says what nobody knows."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from adapters.sql.background import SqlBackgrounds
from governor.console.words import day
from governor.domain.background import Background, CustomerPast
from governor.domain.credentials import Kind, Role
from governor.domain.limits import Scope
from governor.domain.payments import PaymentMethod
from governor.domain.seen import AsSeen
from tests.builders import World
from tests.console.browsing import Visitor
from tests.fakes.provider import FakeProvider
from tests.usecases.test_delegation import child_of


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(10_000_000, approval_above=10_000)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


def page_of(world: World, ben: Visitor, payment: str, amount: int = 20_000) -> str:
    request = world.request(world.caller(), payment, amount)
    return ben.get(f"/console/e/test/holds/{request.hold}").text


def seen(world: World, payment: str, background: Background) -> str:
    """The payment, once somebody has looked around it."""
    SqlBackgrounds(world.app.engine).keep("test", payment, background)
    return payment


def test_the_act_is_one_sentence_with_where_the_money_goes_and_how_old_the_charge_is(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    charged = world.app.queries.now() - timedelta(days=26)
    text = page_of(world, ben, provider.add_payment(captured_minor=130_000, paid_at=charged), 124_000)
    on = day(charged, world.app.queries.now())
    assert "Refund $1,240.00 USD of $1,300.00 USD" in text
    assert f"Part of it goes back to the Visa card ending 4242, charge of {on} (26 days ago)." in text


def test_a_refund_that_goes_another_way_than_to_a_card_says_how(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    text = page_of(world, ben, provider.add_payment(captured_minor=20_000, method=PaymentMethod("konbini")))
    assert "All of it goes back to whoever paid by konbini, charged nobody knows when" in text
    assert "nothing moves until they name one" in text


def test_the_customers_past_and_the_banks_warning_are_shown(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    now = world.app.queries.now()
    past = CustomerPast(
        first_at=now - timedelta(days=400),
        paid=7,
        refunded=2,
        disputed=1,
        paid_minor={"usd": 91_000, "eur": 500},
        refunded_minor={"usd": 12_000},
        whole=True,
    )
    payment = provider.add_payment(captured_minor=20_000, customer="cus_known")
    text = page_of(
        world, ben, seen(world, payment, Background.looked(now, fraud_warning=True, customer=past))
    )
    assert "7 payments, €5.00 EUR + $910.00 USD , first" in text
    assert "2 of 7 (28 %), $120.00 USD ; 1 disputed" in text
    assert "none; the bank has warned of fraud : a refund now can spare a dispute" in text
    assert "nothing else in 30 days" in text


def test_a_past_that_goes_on_before_what_was_read_says_so(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    now = world.app.queries.now()
    past = CustomerPast(now, 100, 0, 0, {"usd": 100_000}, {}, whole=False)
    payment = provider.add_payment(captured_minor=20_000, customer="cus_long")
    text = page_of(
        world, ben, seen(world, payment, Background.looked(now, fraud_warning=False, customer=past))
    )
    assert "at least 100 payments, $1,000.00 USD , first before" in text
    assert "none of these; none disputed" in text
    assert "the bank has not warned of fraud" in text


def test_what_nobody_knows_of_a_customer_is_no_zero(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    text = page_of(world, ben, provider.add_payment(captured_minor=20_000, customer="cus_x", connected=None))
    assert "not known: Stripe did not say" in text
    assert "whether the bank has warned of fraud is not known" in text
    assert "connected account: not known" in text
    nobody = page_of(world, ben, provider.add_payment(captured_minor=20_000, customer=None))
    assert "The payment names none: nothing is known of what else they paid or got back." in nobody


def test_requests_that_stay_just_under_what_asks_people_are_counted_and_summed(
    world: World, ben: Visitor
) -> None:
    payment = world.payment(90_000, customer="cus_split")
    for amount in (9_900, 9_500, 100):
        world.request(world.caller(), payment, amount)
    text = page_of(world, ben, payment, 30_000)
    assert "4 requests for this customer within two hours, 2 of them just under $100.00 USD" in text
    assert "3 more in 30 days, 3 open; with this $495.00 USD" in text


def test_whose_key_gave_the_askers_is_said(world: World, ben: Visitor) -> None:
    parent = world.caller(Role.AGENT, "fleet", kind=Kind.PROGRAM)
    child = child_of(world, parent, "bot-7")
    request = world.request(child, world.payment(50_000), 20_000)
    text = ben.get(f"/console/e/test/holds/{request.hold}").text
    assert "A program: bot-7 , for" in text
    assert ", by a key that fleet gave" in text


def test_it_says_what_is_left_of_the_narrowest_limit(world: World, ben: Visitor) -> None:
    narrow = world.limit(50_000, scope=Scope.PAYMENT)
    text = page_of(world, ben, world.payment(60_000))
    world.app.change_limit.archive(world.operator, narrow.id, AsSeen(narrow.revision))
    assert ": $300.00 USD left after it." in text
