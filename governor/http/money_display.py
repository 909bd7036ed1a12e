"""An amount for people's eyes. Symbols come from CLDR, digits from Stripe's own exponents."""

from __future__ import annotations

from decimal import Decimal

from babel import Locale
from babel.numbers import format_compact_decimal, get_currency_symbol

from governor.domain.money import EXPONENTS, Money, decimal_text

_LOCALE = Locale("en")


def amount_display(money: Money) -> str:
    """1240 usd → "$12.40", 9899 jpy → "¥9,899", 500 isk → "ISK 5.00" (with a no-break space).

    CLDR's own number of digits is wrong for Stripe (STRIPE.md §6), so the number is written here.
    """
    number = f"{Decimal(decimal_text(money)):,.{EXPONENTS[money.currency]}f}"
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
