"""Stripe's currencies: how many digits are minor, and which amounts it accepts (STRIPE.md §6)."""

from adapters.sandbox.errors import Refusal

_ZERO_DECIMAL = frozenset("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split())
_THREE_DECIMAL = frozenset("bhd jod kwd omr tnd".split())
# Sent as two-decimal although nobody uses the fraction: 5 ISK is 500, and 505 is refused.
_WHOLE_UNITS_ONLY = frozenset("isk ugx".split())
_TWO_DECIMAL = frozenset(
    "usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn bzd cad cdf"
    " chf cny cop crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd hnl htg huf idr"
    " ils inr isk jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl mad mdl mkd mmk mnt mop mur mvr mwk mxn myr"
    " mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sek sgd shp sle sos"
    " srd std szl thb tjs top try ttd twd tzs uah ugx uyu uzs wst xcd yer zar zmw".split()
)
_SYMBOLS = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "inr": "₹", "krw": "₩", "aud": "A$", "cad": "CA$"}


def exponent(currency: str) -> int:
    """Number of minor digits: 0, 2 or 3.

    Raises:
        Refusal: for a currency Stripe does not know.
    """
    if currency in _ZERO_DECIMAL:
        return 0
    if currency in _THREE_DECIMAL:
        return 3
    if currency in _TWO_DECIMAL:
        return 2
    raise Refusal(400, f"Invalid currency: {currency}.", param="currency")


def check_amount(amount: int, currency: str) -> None:
    """Refuses an amount (minor units) with digits that the currency cannot pay out.

    Raises:
        Refusal: ISK and UGX must end in 00, three-decimal currencies in 0.
    """
    step = 100 if currency in _WHOLE_UNITS_ONLY else 10 if exponent(currency) == 3 else 1
    if amount % step:
        message = f"Invalid amount: amounts in {currency} must be a multiple of {step}."
        raise Refusal(400, message, param="amount")


def written(amount: int, currency: str) -> str:
    """The amount (minor units) as Stripe writes it in messages: ``$11.00``, ``¥989,900``."""
    digits = exponent(currency)
    whole, fraction = divmod(amount, 10**digits)
    number = f"{whole:,}" + (f".{fraction:0{digits}d}" if digits else "")
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{number}" if symbol else f"{number} {currency.upper()}"
