"""Amounts as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governor.console.amounts import typed_amount
from governor.domain.errors import Invalid
from governor.domain.money import EXPONENTS, MAX_MINOR, Money, decimal_text, smallest_step


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("12.40", "usd", 1240),
        ("12", "usd", 1200),
        (" 0.01 ", "usd", 1),
        ("007.00", "usd", 700),
        ("9899", "jpy", 9899),
        ("1.230", "kwd", 1230),
        ("5.00", "isk", 500),
    ],
)
def test_an_amount_is_read_in_its_currency(text: str, currency: str, minor: int) -> None:
    """SCENARIOS 55, 56, 59."""
    assert typed_amount(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "said"),
    [
        ("1.500,00", "usd", "can be read in two ways"),
        ("1,500.00", "usd", "can be read in two ways"),
        ("1 500", "usd", "can be read in two ways"),
        ("1'500", "usd", "can be read in two ways"),
        ("1.500", "usd", "USD has 2 digits behind the point, and this has 3."),
        ("1.5", "usd", "USD has 2 digits behind the point, and this has 1."),
        ("1.500", "jpy", "JPY has no digits behind a point"),
        ("15.00", "jpy", "JPY has no digits behind a point"),
        ("1.50", "kwd", "KWD has 3 digits behind the point"),
        ("١٥", "usd", "Only the digits 0 to 9"),
        ("１５", "usd", "Only the digits 0 to 9"),
        ("1e3", "usd", "Powers of ten"),
        ("-5", "usd", "no minus sign"),
        ("−5", "usd", "no minus sign"),
        ("12345678901234567890", "usd", "This has 20 digits"),
        ("9999999999", "usd", "understood as 9,999,999,999 USD"),
        ("0", "usd", "This is nothing"),
        ("5.01", "isk", "In ISK the smallest step is 1.00."),
        ("$5", "usd", "not understood"),
        ("0x10", "usd", "not understood"),
        ("", "usd", "not understood"),
        (".5", "usd", "not understood"),
        ("5.", "usd", "not understood"),
    ],
)
def test_an_amount_that_could_be_another_is_refused_with_what_was_understood(
    text: str, currency: str, said: str
) -> None:
    """RELIABILITY §4.10, 187."""
    with pytest.raises(Invalid) as refused:
        typed_amount(text, currency)
    assert said in refused.value.errors[0].detail


@given(st.sampled_from(sorted(EXPONENTS)), st.integers(1, MAX_MINOR))
def test_what_is_shown_of_an_amount_can_be_typed(currency: str, minor: int) -> None:
    step = smallest_step(currency)
    whole = max(step, minor - minor % step)
    assert typed_amount(decimal_text(Money(whole, currency)), currency) == whole


@given(st.text(max_size=20), st.sampled_from(["usd", "jpy", "kwd", "isk"]))
def test_whatever_is_typed_is_an_amount_or_a_sentence(text: str, currency: str) -> None:
    got = _read(text, currency)
    if isinstance(got, str):
        assert got.endswith(".")
    else:
        assert text.strip().isascii()
        assert decimal_text(Money(got, currency)).rstrip("0").rstrip(".").lstrip("0") in text.strip()


def _read(text: str, currency: str) -> int | str:
    try:
        return typed_amount(text, currency)
    except Invalid as refused:
        return refused.errors[0].detail
