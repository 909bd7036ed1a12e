"""An amount for people's eyes. Symbols and grouping come from CLDR, digits from Stripe's own exponents."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_compact_decimal, format_decimal, get_currency_symbol

from governor.domain.money import EXPONENTS, Money, decimal_text

_LOCALE = "en"


def amount_display(money: Money) -> str:
    """1240 usd → "$12.40", 9899 jpy → "¥9,899", 500 isk → "ISK 5.00" (with a no-break space).

    CLDR's own number of digits is wrong for Stripe (STRIPE.md §6), so the pattern is written here.
    """
    digits = EXPONENTS[money.currency]
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    number = format_decimal(Decimal(decimal_text(money)), format=pattern, locale=_LOCALE)
    return _with_symbol(money.currency, number)


def compact_amount(money: Money) -> str:
    """In few letters, rounded to one digit: 250000 usd → "$2.5K"."""
    return _with_symbol(money.currency, compact(Decimal(decimal_text(money))))


def compact(number: int | Decimal) -> str:
    """A number in few letters, rounded to one digit: 2500 → "2.5K"."""
    return format_compact_decimal(number, locale=_LOCALE, fraction_digits=1)


def _with_symbol(currency: str, number: str) -> str:
    symbol = get_currency_symbol(currency.upper(), _LOCALE)
    return f"{symbol}\u00a0{number}" if symbol[-1].isalpha() else f"{symbol}{number}"
