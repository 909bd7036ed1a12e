"""What runs are asked with: JSON as a form or a program gives it, read strictly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from governor.domain.errors import invalid
from governor.domain.money import EXPONENTS
from governor.domain.windows import moment
from governor.usecases.read_trail import Bound, read_bound


def refuse_others(parameters: Mapping[str, Any], known: Collection[str]) -> None:
    """A misspelt parameter must not be one that was left out.

    Raises:
        Invalid: one that is not `known`.
    """
    for name in parameters:
        if name not in known:
            allowed = ", ".join(sorted(known)) or "nothing"
            raise invalid(f"/{name}", "unknown_field", f"It is asked with {allowed}.")


def currency_in(parameters: Mapping[str, Any]) -> str:
    """`currency`, a lower-case code.

    Raises:
        Invalid: anything else.
    """
    found = parameters.get("currency")
    if isinstance(found, str) and found in EXPONENTS:
        return found
    raise invalid("/currency", "currency_unknown", "A currency is a lower-case code such as usd.")


def moment_in(parameters: Mapping[str, Any], name: str, otherwise: datetime) -> datetime:
    """A date or an RFC 3339 time with its zone; `otherwise` when it is left out or null.

    Raises:
        Invalid: anything else.
    """
    found = parameters.get(name)
    if found is None:
        return otherwise
    try:
        return moment(found)
    except (TypeError, ValueError):
        raise invalid(f"/{name}", "time_malformed", "A time is a date, or RFC 3339 with its zone.") from None


def bound_in(parameters: Mapping[str, Any], name: str) -> Bound:
    """A row's number, or a moment, as text; None when it is left out or null.

    Raises:
        Invalid: anything else.
    """
    found = parameters.get(name)
    if found is None:
        return None
    try:
        return read_bound(found)
    except (TypeError, ValueError):
        says = "A bound is a row's number, a date, or an RFC 3339 time with its zone."
        raise invalid(f"/{name}", "bound_malformed", says) from None


def flag_in(parameters: Mapping[str, Any], name: str, *, otherwise: bool) -> bool:
    """True or false; `otherwise` when it is left out.

    Raises:
        Invalid: anything else.
    """
    found = parameters.get(name, otherwise)
    if not isinstance(found, bool):
        raise invalid(f"/{name}", "boolean_expected", "It is true or false.")
    return found


def choice_in(parameters: Mapping[str, Any], name: str, words: Collection[str], otherwise: str) -> str:
    """One of these words; `otherwise` when it is left out.

    Raises:
        Invalid: anything else.
    """
    found = parameters.get(name, otherwise)
    if isinstance(found, str) and found in words:
        return found
    raise invalid(f"/{name}", "word_unknown", f"It is one of {', '.join(sorted(words))}.")
