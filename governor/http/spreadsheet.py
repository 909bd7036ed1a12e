"""CSV that a spreadsheet reads as text, and never as a formula (RELIABILITY §5.2 T36)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_BEGINS_A_FORMULA = frozenset("=+-@\t\r\n\0＝＋－＠")


def csv_line(values: Iterable[object]) -> str:
    """One line, every cell quoted."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(map(_cell, values))
    return out.getvalue()


def _cell(value: object) -> str:
    """Text that stays text in a spreadsheet (OWASP, CSV injection); whole numbers are what they are."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    formula = text[:1] in _BEGINS_A_FORMULA and not isinstance(value, int)
    return f"'{text}" if formula else text
