import pytest

from governor.domain.errors import Invalid
from governor.domain.money import (
    EXPONENTS,
    MAX_MINOR,
    Money,
    amount_text,
    decimal_text,
    refundable_amount,
    smallest_step,
)

# Written a second time by hand from STRIPE.md §6, which is not ISO 4217.
ZERO = set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split())
THREE = set("bhd jod kwd omr tnd".split())
WHOLE = {"isk", "ugx"}


def test_the_exponents_are_those_of_stripe() -> None:
    assert {currency for currency, digits in EXPONENTS.items() if digits == 0} == ZERO
    assert {currency for currency, digits in EXPONENTS.items() if digits == 3} == THREE
    assert set(EXPONENTS.values()) == {0, 2, 3}
    assert all(currency.isascii() and currency.islower() and len(currency) == 3 for currency in EXPONENTS)


@pytest.mark.parametrize(
    ("currency", "digits"),
    # Those in which ISO, or a list that Stripe prints elsewhere, says otherwise; then the commonest.
    [("mga", 0), ("isk", 2), ("ugx", 2), ("huf", 2), ("twd", 2), ("usd", 2), ("eur", 2), ("idr", 2)],
)
def test_currencies_that_are_easily_got_wrong(currency: str, digits: int) -> None:
    assert EXPONENTS[currency] == digits


@pytest.mark.parametrize("currency", sorted(EXPONENTS))
def test_every_amount_is_a_multiple_of_what_stripe_accepts(currency: str) -> None:
    step = 100 if currency in WHOLE else 10 if currency in THREE else 1
    assert smallest_step(currency) == step
    assert refundable_amount(step, currency) == Money(step, currency)
    assert refundable_amount(3 * step, currency) == Money(3 * step, currency)
    largest = MAX_MINOR - MAX_MINOR % step
    assert refundable_amount(largest, currency) == Money(largest, currency)
    if step > 1:
        for between in (1, step - 1, step + 1):
            with pytest.raises(Invalid) as refused:
                refundable_amount(between, currency)
            assert refused.value.errors[0].code == "amount_step"
            assert refused.value.errors[0].pointer == "/amount"


@pytest.mark.parametrize("minor", [0, -1, -100, MAX_MINOR + 1, 2**63, True, False, 1.0, 1.5, "100", None])
def test_what_is_no_amount_is_refused(minor: object) -> None:
    """Scenario 64."""
    with pytest.raises(Invalid) as refused:
        refundable_amount(minor, "usd")  # type: ignore[arg-type]  # callers without types exist
    assert refused.value.errors[0].code == "amount_out_of_range"


@pytest.mark.parametrize("currency", ["USD", "us", "", "xxx", "usdt", "us d"])
def test_what_is_no_currency_is_refused(currency: str) -> None:
    with pytest.raises(Invalid) as refused:
        refundable_amount(100, currency)
    assert (refused.value.errors[0].pointer, refused.value.errors[0].code) == (
        "/currency",
        "currency_unknown",
    )
    with pytest.raises(ValueError, match="unknown currency"):
        Money(100, currency)


@pytest.mark.parametrize("minor", [True, False, 1.0, 0.5, "1", None, b"1"])
def test_money_is_a_whole_number_and_nothing_that_looks_like_one(minor: object) -> None:
    with pytest.raises(TypeError):
        Money(minor, "usd")  # type: ignore[arg-type]  # callers without types exist


def test_money_is_never_negative_and_may_be_nothing() -> None:
    with pytest.raises(ValueError, match="never negative"):
        Money(-1, "usd")
    assert Money(0, "usd").minor == 0


def test_money_stays_what_it_is() -> None:
    with pytest.raises(AttributeError):
        Money(1, "usd").minor = 2  # type: ignore[misc]  # that it cannot be set is the test


#   minor       currency  in major units
TEXTS = [
    (1240,      "usd", "12.40"),
    (5,         "usd", "0.05"),
    (0,         "usd", "0.00"),
    (100,       "usd", "1.00"),
    (9899,      "jpy", "9899"),
    (0,         "jpy", "0"),
    (500,       "isk", "5.00"),
    (1230,      "kwd", "1.230"),
    (10,        "kwd", "0.010"),
    (MAX_MINOR, "eur", "999999.99"),
]  # fmt: skip


@pytest.mark.parametrize(("minor", "currency", "text"), TEXTS)
def test_amounts_in_major_units(minor: int, currency: str, text: str) -> None:
    assert decimal_text(Money(minor, currency)) == text
    assert amount_text(Money(minor, currency)) == f"{text} {currency.upper()}"
