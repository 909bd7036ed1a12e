"""Names that come from outside: operation keys, cases and object ids, each with its one canonical form."""

from __future__ import annotations

import re

from governor.domain.errors import Malformed, invalid

OPERATION_KEY = re.compile(r"[\x21-\x7e]{8,255}")
_QUOTED = re.compile(r'"([^"\\]*)"')
_CASE = re.compile(r"[A-Z0-9](?:[A-Z0-9._:-]{0,62}[A-Z0-9])?")
_CHARGE = re.compile(r"(?:ch|py)_[A-Za-z0-9_]{1,120}")
_CUSTOMER = re.compile(r"cus_[A-Za-z0-9_]{1,120}")
_PAYMENT = re.compile(r"pi_[A-Za-z0-9_]{1,120}")


def operation_key(header: str | None) -> str:
    """The caller's key from the `Idempotency-Key` header, quoted (draft -07) or bare: 8–255 visible ASCII.

    Raises:
        Malformed: `idempotency_key_missing` or `idempotency_key_malformed`.
    """
    if header is None:
        raise Malformed("idempotency_key_missing", "Send your own key for this intent in Idempotency-Key.")
    quoted = _QUOTED.fullmatch(header)
    key = quoted[1] if quoted else header
    if not OPERATION_KEY.fullmatch(key) or '"' in key or "," in key or ";" in key:
        raise Malformed(
            "idempotency_key_malformed",
            "Idempotency-Key is 8 to 255 visible ASCII characters without quotes, commas or semicolons.",
        )
    return key


def canonical_case(value: str) -> str:
    """The one spelling of a case: letters, digits, `. _ : -`, at most 64, upper case.

    `ZD-1` and `zd-1` are one case; look-alike characters are refused (RELIABILITY §0, 10).

    Raises:
        Invalid: for anything else.
    """
    upper = value.upper() if value.isascii() else ""
    if not _CASE.fullmatch(upper):
        raise invalid(
            "/case",
            "case_malformed",
            "A case is up to 64 letters A–Z, digits and . _ : - without blanks, like ZD-4711.",
        )
    return upper


def payment_id(value: str) -> str:
    """A PaymentIntent id, the stable target of a refund (STRIPE.md §1).

    Raises:
        Invalid: anything else, with a hint when a secret was pasted.
    """
    if _PAYMENT.fullmatch(value):
        return value
    if value.startswith(("sk_", "rk_", "whsec_", "gvk_")):
        raise invalid("/payment", "secret_pasted", "That is a secret, not a payment. Rotate it now.")
    raise invalid("/payment", "payment_malformed", "A payment is a PaymentIntent id: pi_…")


def is_charge(name: str) -> bool:
    """Whether this names a charge: `ch_…` of a card, `py_…` of a local method (STRIPE.md §1)."""
    return _CHARGE.fullmatch(name) is not None


def customer_id(value: str) -> str:
    """A customer's id, as the provider gives it.

    Raises:
        Invalid: anything else.
    """
    if not _CUSTOMER.fullmatch(value):
        raise invalid("/customer", "customer_malformed", "A customer is an id that begins with cus_.")
    return value
