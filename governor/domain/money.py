"""Money in Stripe's minor units, with Stripe's own exponents (STRIPE.md §6), which are not ISO's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from governor.domain.errors import invalid

MAX_MINOR = 99_999_999
"""Stripe's API reference: an amount has at most eight digits (STRIPE.md §6)."""

MAX_CAP = 2**53 - 1
"""The largest bound of amounts: every JSON reader can still tell it from its neighbours."""

_ZERO_DECIMAL = frozenset("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split())
_THREE_DECIMAL = frozenset("bhd jod kwd omr tnd".split())
_WHOLE_UNITS_ONLY = frozenset({"isk", "ugx"})
"""Sent as two-decimal and always ending in 00: 5 ISK = 500 (STRIPE.md §6)."""
_TWO_DECIMAL = frozenset(
    """aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn bzd cad cdf chf
    cny cop crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd hnl htg huf idr ils inr
    isk jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl mad mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn
    nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sek sgd shp sle sos srd std szl thb
    tjs top try ttd twd tzs uah ugx usd uyu uzs wst xcd xcg yer zar zmw""".split(),
)

EXPONENTS: dict[str, int] = (
    dict.fromkeys(_TWO_DECIMAL, 2) | dict.fromkeys(_ZERO_DECIMAL, 0) | dict.fromkeys(_THREE_DECIMAL, 3)
)
"""Every currency governor accepts and how many decimal digits its minor unit has at Stripe."""


@dataclass(frozen=True, order=True)
class Money:
    """An amount of minor units (never negative) in one lower-case currency of `EXPONENTS`.

    Raises:
        TypeError: for anything but a plain int (a bool is no amount).
        ValueError: for a negative amount or an unknown currency.
    """

    minor: int
    currency: str

    def __post_init__(self) -> None:
        """Refuse what is no amount, at once and everywhere."""
        if type(self.minor) is not int:
            raise TypeError("an amount is an integer of minor units")
        if self.minor < 0:
            raise ValueError("an amount is never negative")
        if self.currency not in EXPONENTS:
            raise ValueError("unknown currency")


def refundable_amount(minor: int, currency: str) -> Money:
    """The money a caller may ask to refund.

    Raises:
        Invalid: outside 1…MAX_MINOR, an unknown currency, or digits Stripe refuses for it: ISK and UGX
            end in 00, three-decimal currencies end in 0 (STRIPE.md §6).
    """
    if currency not in EXPONENTS:
        raise invalid("/currency", "currency_unknown", "The currency is not one that Stripe refunds in.")
    if type(minor) is not int or not 1 <= minor <= MAX_MINOR:
        raise invalid("/amount", "amount_out_of_range", f"The amount is an integer from 1 to {MAX_MINOR}.")
    step = smallest_step(currency)
    if minor % step:
        raise invalid(
            "/amount", "amount_step", f"An amount in {currency} is a multiple of {step} minor units."
        )
    return Money(minor, currency)


def check_bounds(pointer: str, bounds: Mapping[str, int]) -> None:
    """Refuse bounds by currency that are no whole minor units, or are in none that Stripe refunds in.

    Raises:
        Invalid: about `pointer`.
    """
    for currency, amount in bounds.items():
        if currency not in EXPONENTS or not 0 <= amount <= MAX_CAP:
            detail = "Minor units, by a currency that Stripe refunds in."
            raise invalid(pointer, f"{pointer.removeprefix('/')}_malformed", detail)


def smallest_step(currency: str) -> int:
    """The number of minor units every amount in `currency` is a multiple of."""
    if currency in _WHOLE_UNITS_ONLY:
        return 100
    return 10 if currency in _THREE_DECIMAL else 1


def decimal_text(money: Money) -> str:
    """The amount in major units with a point and Stripe's number of digits: 1240 usd → "12.40"."""
    digits = EXPONENTS[money.currency]
    if not digits:
        return str(money.minor)
    padded = str(money.minor).zfill(digits + 1)
    return f"{padded[:-digits]}.{padded[-digits:]}"


def amount_text(money: Money) -> str:
    """The same with the code of its currency, as plain text says it: 1240 usd → "12.40 USD"."""
    return f"{decimal_text(money)} {money.currency.upper()}"
