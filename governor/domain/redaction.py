"""What no log, audit row, queue or error may show (invariant 18), and how it is masked where it slips through."""

from __future__ import annotations

import re
from typing import Any, Final

_SECRETS: Final = re.compile(
    r"(?P<kept>gvk_test_|[rs]k_(?:test|live)_|whsec_|\bbearer\s+|://[^\s:/@]*:)[^\s'\",;@/]+"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}"
    r"|(?<![\w-])(?P<card>\d(?:[ -]?\d){12,18})(?![\w-])",
    re.IGNORECASE,
)
"""Keys, passwords inside URLs, e-mail addresses and card numbers. Nobody should write them; what slips through is masked.

An address is looked for only where one can begin: from within a long word it would be looked for again and again.
"""

_MANY_DIGITS: Final = re.compile(r"\d(?:[ -]?\d){12}")

_TELLTALES: Final = ("@", "k_test_", "k_live_", "whsec_", "bearer", "://")
"""Each secret has one of these in it, in lower case, or the many digits of a card."""


def suspicious(text: str) -> bool:
    """A look that costs a hundredth of masking: where it says no, there is nothing to mask."""
    lower = text.lower()
    return any(telltale in lower for telltale in _TELLTALES) or _MANY_DIGITS.search(text) is not None


def masked(value: Any) -> Any:  # noqa: ANN401  JSON values are any
    """A value with its secrets replaced by `…`, however deep; numbers and None stay what they are."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {str(name): masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [masked(item) for item in value]
    return _SECRETS.sub(_shortened, str(value))


def _shortened(found: re.Match[str]) -> str:
    """What kind of secret it was, so that its reader can find where it came from."""
    if found["card"] is not None and not _is_card(found["card"]):
        return found[0]
    return f"{found['kept'] or ''}…"


def _is_card(text: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn): of one number in ten it is by chance."""
    digits = [int(char) for char in reversed(text) if char.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
