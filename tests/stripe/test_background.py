"""What stands around a payment: two reads of one page each, and whatever cannot be read is not known."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.stripe.access import StripeAccess
from adapters.stripe.background import StripeBackground
from governor.domain.background import Background, CustomerPast
from governor.domain.payments import PaymentFacts
from tests.stripe.bodies import NOW, STRIPE_SAYS, charge, error, page
from tests.stripe.scripted import ScriptedServer, Step, close, reply
from tests.unit.values import FACTS, replaced

CREATED = 1795953600


def warning(**changes: Any) -> dict[str, Any]:
    return {"id": "issfr_1", "object": "radar.early_fraud_warning", "charge": "ch_1", **changes}


def shown(*bodies: object) -> list[Step]:
    return [reply(200, body, STRIPE_SAYS) for body in bodies]


def read(*steps: Step, facts: PaymentFacts = FACTS) -> Background | None:
    with ScriptedServer(*steps) as server:
        return StripeBackground(StripeAccess("sk_test_Loopback1", server.url), now=lambda: NOW).read(facts)


def charged(**changes: Any) -> dict[str, Any]:
    return charge(created=CREATED, **changes)


def test_it_is_two_reads_of_one_page_each() -> None:
    with ScriptedServer(*shown(page(), page())) as server:
        StripeBackground(StripeAccess("sk_test_Loopback1", server.url), now=lambda: NOW).read(FACTS)
    assert [(call.method, call.path) for call in server.requests] == [
        ("GET", "/v1/radar/early_fraud_warnings?charge=ch_1&limit=1"),
        ("GET", "/v1/charges?customer=cus_1&limit=100"),
    ]


def test_a_customers_charges_are_added_up_by_currency() -> None:
    charges = page(
        charged(id="ch_3", amount_captured=700, amount_refunded=700, disputed=True),
        charged(id="ch_2", amount_captured=9000, currency="eur", amount_refunded=0),
        charged(id="ch_1", amount_captured=300, amount_refunded=100),
        charged(id="ch_0", status="failed", amount_captured=0),
        has_more=True,
    )
    assert read(*shown(page(warning()), charges)) == Background.looked(
        NOW,
        fraud_warning=True,
        customer=CustomerPast(
            first_at=NOW,
            paid=3,
            refunded=2,
            disputed=1,
            paid_minor={"usd": 1000, "eur": 9000},
            refunded_minor={"usd": 800},
            whole=False,
        ),
    )


def test_a_customer_who_never_paid_has_a_past_of_nothing() -> None:
    found = read(*shown(page(), page()))
    assert found == Background.looked(NOW, False, CustomerPast(None, 0, 0, 0, {}, {}, whole=True))


FORBIDDEN = reply(403, error(), STRIPE_SAYS)


UNREADABLE = [
    page(charged(customer="cus_2")),
    page(charged(amount_captured=None)),
    page(charged(amount_refunded="0")),
    page(charged(currency="US dollars")),
    page(charged(disputed=None)),
    page(charge(created=None)),
    page(warning()),
    {**page(), "has_more": None},
    charged(),
]


@pytest.mark.parametrize("unreadable", UNREADABLE)
def test_what_is_no_page_of_this_customers_charges_is_not_known(unreadable: object) -> None:
    found = read(*shown(page(), unreadable))
    assert found == Background.looked(NOW, fraud_warning=False, customer=None)


@pytest.mark.parametrize("unreadable", [page(warning(charge="ch_2")), page(charged()), charged()])
def test_what_is_no_page_of_this_charges_warnings_is_not_known(unreadable: object) -> None:
    found = read(*shown(unreadable, page()))
    assert found is not None
    assert (found.fraud_warning, found.customer is None) == (None, False)


def test_what_the_key_may_not_read_is_not_known_and_the_rest_is() -> None:
    found = read(FORBIDDEN, *shown(page(charged())))
    assert found is not None
    assert found.fraud_warning is None
    assert found.customer is not None
    assert found.customer.paid_minor == {"usd": 5000}


@pytest.mark.parametrize("steps", [(FORBIDDEN, FORBIDDEN), (close, close)])
def test_a_provider_that_says_nothing_was_looked_at_all_the_same(steps: tuple[Step, ...]) -> None:
    found = read(*steps)
    assert found == Background.looked(NOW, fraud_warning=None, customer=None)
    assert found.is_missed


def test_nobody_is_asked_about_a_payment_without_charge_and_customer() -> None:
    with ScriptedServer() as server:
        reader = StripeBackground(StripeAccess("sk_test_Loopback1", server.url), now=lambda: NOW)
        assert reader.read(replaced(FACTS, charge=None, customer=None)) is None
    assert server.requests == []
