"""With what a payment was made: enough to recognise it by, and no more."""

from __future__ import annotations

import pytest

from governor.domain.payments import PaymentMethod
from tests.stripe.bodies import charge, intent, page
from tests.stripe.test_facts import read

# fmt: off
METHODS = [
    ({"type": "card", "card": {"brand": "visa", "last4": "4242", "fingerprint": "TRAP"}},
                                                              PaymentMethod("card", "visa", "4242")),
    ({"type": "us_bank_account", "us_bank_account": {"last4": "6789", "bank_name": "TRAP"}},
                                                              PaymentMethod("us_bank_account", None, "6789")),
    ({"type": "konbini"},                                     PaymentMethod("konbini")),
    # What is odd in what is only shown is left out, and refuses no refund.
    ({"type": "card", "card": {"brand": "<b>", "last4": "424242"}}, PaymentMethod("card")),
    ({"type": "card", "card": ["visa"]},                      PaymentMethod("card")),
    ({"type": 3},                                             None),
    (["card"],                                                None),
    (None,                                                    None),
]
# fmt: on


@pytest.mark.parametrize(("details", "method"), METHODS)
def test_a_payment_is_known_by_its_kind_its_brand_and_its_last_digits(
    details: object, method: PaymentMethod | None
) -> None:
    facts = read(intent(latest_charge=charge(payment_method_details=details)), page())
    assert facts.method == method
    assert "TRAP" not in repr(facts)


def test_what_nobody_tried_to_pay_has_no_method() -> None:
    assert read(intent(latest_charge=None, status="requires_payment_method"), page()).method is None
