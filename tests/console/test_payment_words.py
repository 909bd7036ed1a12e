"""With what a payment was made, in words."""

import pytest

from governor.console.payment_words import back_to, method_words, refunds_by
from governor.domain.payments import PaymentMethod


@pytest.mark.parametrize(
    ("method", "words", "to"),
    [
        (("card", "visa", "4242"), "Visa card ending 4242", "to the Visa card ending 4242"),
        (("card_present", "amex", "0005"), "American Express card ending 0005", None),
        (("card", "mastercard", "4444"), "Mastercard ending 4444", "to the Mastercard ending 4444"),
        (("card", "unknown", "1234"), "card ending 1234", "to the card ending 1234"),
        (("card", None, None), "card", "to the card"),
        (
            ("us_bank_account", None, "6789"),
            "us bank account ending 6789",
            "to the us bank account ending 6789",
        ),
        (("konbini", None, None), "konbini", "to whoever paid by konbini"),
    ],
)
def test_a_method_is_called_what_people_know_it_by(
    method: tuple[str, str | None, str | None], words: str, to: str | None
) -> None:
    assert method_words(PaymentMethod(*method)) == words
    assert to is None or back_to(PaymentMethod(*method)) == to


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        ("card", None),
        ("konbini", "Slow: "),
        ("customer_balance", "Slow: "),
        ("sepa_debit", "A bank refund: "),
    ],
)
def test_whoever_refunds_is_told_where_it_is_not_as_with_a_card(kind: str, begins: str | None) -> None:
    said = refunds_by(PaymentMethod(kind))
    assert said is None if begins is None else (said or "").startswith(begins)
