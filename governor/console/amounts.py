"""Amounts as people type them: read one way only, and never guessed (RELIABILITY §4.10, 187)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from governor.domain.errors import invalid
from governor.domain.money import EXPONENTS, MAX_MINOR, Money, decimal_text, smallest_step

_PLAIN = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,6}))?", re.ASCII)
_MARKS = re.compile(r"[0-9][.,'’  \u00a0\u202f][0-9]")


def typed_amount(text: str, currency: str) -> int:
    """What somebody typed as an amount of `currency`, in minor units: "12.40" usd → 1240, "500" jpy → 500.

    Digits, and at most one point with exactly as many digits behind it as the currency has, or none. Marks between
    thousands are refused, since "1.500,00" and "1,500.00" are each right somewhere.

    Raises:
        Invalid: with what was understood, or why nothing was.
    """
    minor = typed_cap(text, currency)
    if minor > MAX_MINOR:
        raise invalid("/amount", "amount_out_of_range", _too_large(minor, currency))
    if minor == 0:
        raise invalid("/amount", "amount_out_of_range", "This is nothing; an amount is more.")
    step = smallest_step(currency)
    if minor % step:
        least = decimal_text(Money(step, currency))
        raise invalid("/amount", "amount_step", f"In {currency.upper()} the smallest step is {least}.")
    return minor


def typed_cap(text: str, currency: str) -> int:
    """The same for what a limit allows: nothing at all can be a cap, and it may be more than one refund.

    Raises:
        Invalid: with what was understood, or why nothing was.
    """
    digits = EXPONENTS[currency]
    match = _PLAIN.fullmatch(text.strip())
    if match is None:
        raise invalid("/amount", "amount_unreadable", _why_not(text.strip(), digits))
    whole, fraction = match[1], match[2]
    if fraction is not None and len(fraction) != digits:
        raise invalid("/amount", "amount_digits", _wrong_digits(currency, digits, len(fraction)))
    return int(whole + (fraction or "0" * digits))


def typed_bounds(text: str) -> dict[str, int]:
    """Amounts by currency, as in "500.00 usd, 400.00 eur", in minor units.

    Raises:
        Invalid: with what was understood of an amount. ValueError: about the rest.
    """
    bounds: dict[str, int] = {}
    for one in text.split(","):
        amount, _, currency = one.strip().rpartition(" ")
        if currency.lower() not in EXPONENTS:
            raise ValueError("Type each amount with its currency, like 500.00 usd, 400.00 eur.")
        if currency.lower() in bounds:
            raise ValueError(f"{currency.upper()} is named twice.")
        bounds[currency.lower()] = typed_cap(amount, currency.lower())
    return bounds


def bounds_text(bounds: Mapping[str, int]) -> str:
    """The same back."""
    return ", ".join(
        f"{decimal_text(Money(minor, currency))} {currency}" for currency, minor in sorted(bounds.items())
    )


def typed_currency(text: str) -> str:
    """A currency as people write it, "USD" or "usd", in small letters.

    Raises:
        ValueError: it is none that the provider refunds in.
    """
    code = text.lower()
    if code not in EXPONENTS:
        raise ValueError("This is no currency that Stripe refunds in. Type three letters, like usd.")
    return code


def example(digits: int) -> str:
    """How an amount with so many digits behind the point is typed."""
    return "1500" + ("." + "0" * digits if digits else "")


def _why_not(text: str, digits: int) -> str:
    how = f"Type it in digits, like {example(digits)}."
    if text.startswith(("-", "−")):
        return f"An amount has no minus sign. {how}"
    if not text.isascii() and any(character.isdigit() for character in text):
        return f"Only the digits 0 to 9 are understood here. {how}"
    if re.fullmatch(r"[0-9.]+[eE][+-]?[0-9]+", text):
        return f"Powers of ten are not understood here. {how}"
    if "," in text or _MARKS.search(text):
        return f"A mark between digits can be read in two ways, so only one point is understood. {how}"
    if text.isdigit():
        return f"This has {len(text)} digits, which is more than any refund has."
    return f"This is not understood as an amount. {how}"


def _wrong_digits(currency: str, digits: int, typed: int) -> str:
    code = currency.upper()
    if digits == 0:
        return f"{code} has no digits behind a point, and this has {typed}."
    return f"{code} has {digits} digits behind the point, and this has {typed}."


def _too_large(minor: int, currency: str) -> str:
    whole = minor // 10 ** EXPONENTS[currency]
    return f"This was understood as {whole:,} {currency.upper()}, which is more than Stripe refunds at once."
