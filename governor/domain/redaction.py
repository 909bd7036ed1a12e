"""What no log, audit row, queue or error may show (invariant 18), and how it is masked where it slips through."""

from __future__ import annotations

import re
from typing import Any, Final

_SECRETS: Final = re.compile(
    r"(?P<kept>gvk_test_|[rs]k_(?:test|live)_|whsec_|\bbearer\s+|://[^\s:/@]*:)[^\s'\",;@/]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}",
    re.IGNORECASE,
)
"""Keys, passwords inside URLs and e-mail addresses. Nobody should write them; what slips through is masked."""

_TELLTALES: Final = ("@", "k_test_", "k_live_", "whsec_", "bearer", "://")
"""Each secret has one of these in it, in lower case."""


def suspicious(text: str) -> bool:
    """A look that costs a hundredth of masking: where it says no, there is nothing to mask."""
    lower = text.lower()
    return any(telltale in lower for telltale in _TELLTALES)


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
    return f"{found['kept'] or ''}…"
