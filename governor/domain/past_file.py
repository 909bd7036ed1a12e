"""Past refunds in a file: what Stripe's Dashboard exports as CSV, or its API's refund objects, one JSON a line.

A line is read or the file is refused with its number: a misread amount would prove a policy right that is not.
Amounts with a point are major units with exactly the currency's digits (15.00 usd), those without are minor units.
Times are seconds since the epoch or ISO 8601, in UTC where no zone is said. Refunds that failed or were canceled are
left out: they moved nothing.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from governor.domain.errors import Invalid, invalid
from governor.domain.money import EXPONENTS, MAX_MINOR
from governor.domain.replay_of_past import PastRefund, Verdict

_NAMES = {
    "refund_id": "id",
    "created_date": "created",
    "payment_intent_id": "payment_intent",
    "customer_id": "customer",
    "refund_reason": "reason",
}
"""Other names that exports have given the same columns."""
_NEEDED = ("id", "amount", "currency", "created")
_MOVED_NOTHING = {"failed", "canceled"}
_WHOLE = re.compile(r"[0-9]{1,12}", re.ASCII)
_WITH_POINT = re.compile(r"([0-9]{1,9})\.([0-9]{1,3})", re.ASCII)
_LONGEST_TEXT = 255


def past_from_csv(lines: Iterable[str], *, at_most: int) -> tuple[PastRefund, ...]:
    """The refunds of a CSV with a header, oldest first.

    Raises:
        Invalid: `/csv`, with the line that cannot be read; or there are more than `at_most`.
    """
    try:
        reader = csv.DictReader(lines, strict=True)
        reader.fieldnames = [_column(name) for name in reader.fieldnames or ()]
        missing = [name for name in _NEEDED if name not in reader.fieldnames]
        if missing:
            raise invalid("/csv", "columns_missing", f"The header lacks {', '.join(missing)}.")
        return _past(((reader.line_num, row) for row in reader), at_most)
    except csv.Error:
        raise invalid("/csv", "line_unreadable", "It is no CSV.") from None


def past_from_ndjson(lines: Iterable[str], *, at_most: int) -> tuple[PastRefund, ...]:
    """The refunds of a file with one JSON object a line, oldest first.

    Raises:
        Invalid: `/ndjson`, with the line that cannot be read; or there are more than `at_most`.
    """
    return _past(_objects(lines), at_most)


def _objects(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise _unreadable(number, "no JSON") from None
        if not isinstance(row, dict):
            raise _unreadable(number, "no JSON object")
        yield number, row


def _past(rows: Iterable[tuple[int, Mapping[str, Any]]], at_most: int) -> tuple[PastRefund, ...]:
    found: list[PastRefund] = []
    for number, row in rows:
        if str(row.get("status") or "").strip().lower() in _MOVED_NOTHING:
            continue
        if len(found) == at_most:
            raise invalid("/csv", "too_many_lines", f"{at_most} refunds are replayed at most; send fewer.")
        try:
            found.append(_refund(row))
        except ValueError as error:
            raise _unreadable(number, str(error)) from None
    return tuple(sorted(found, key=lambda one: (one.at, one.id)))


def _refund(row: Mapping[str, Any]) -> PastRefund:
    currency = _text(row, "currency", needed=True).lower()
    if currency not in EXPONENTS:
        raise ValueError("the currency is not one that Stripe refunds in")
    return PastRefund(
        id=_text(row, "id", needed=True),
        at=_moment(row.get("created")),
        amount_minor=_minor(row.get("amount"), currency),
        currency=currency,
        payment=_text(row, "payment_intent") or None,
        customer=_text(row, "customer") or None,
        reason=_text(row, "reason") or None,
        verdict=Verdict.LET_THROUGH,
    )


def _column(name: str) -> str:
    plain = name.removeprefix("\ufeff").strip().lower().removesuffix("(utc)").strip().replace(" ", "_")
    return _NAMES.get(plain, plain)


def _text(row: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    value = row.get(name)
    text = "" if value is None else value
    if (
        not isinstance(text, str)
        or len(text) > _LONGEST_TEXT
        or not text.isprintable()
        or (needed and not text)
    ):
        raise ValueError(f"`{name}` cannot be read")
    return text.strip()


def _minor(value: object, currency: str) -> int:
    """An integer of minor units, or a text of digits with or without a point."""
    text = str(value).strip() if type(value) in {int, str} else ""
    point, digits = _WITH_POINT.fullmatch(text), EXPONENTS[currency]
    if point and len(point[2]) == digits:
        minor = int(point[1] + point[2])
    elif _WHOLE.fullmatch(text):
        minor = int(text)
    else:
        raise ValueError("the amount cannot be read")
    if not 1 <= minor <= MAX_MINOR:
        raise ValueError("the amount is out of range")
    return minor


def _moment(value: object) -> datetime:
    text = str(value).strip() if type(value) in {int, str} else ""
    try:
        if _WHOLE.fullmatch(text):
            return datetime.fromtimestamp(int(text), UTC)
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError("the time cannot be read") from None


def _unreadable(number: int, why: str) -> Invalid:
    """Never with what the line says: it may name people."""
    return invalid("/csv", "line_unreadable", f"Line {number}: {why}.")
