"""The fields of Stripe's JSON, read as what they must be: what is missing or odd raises UnreadableError."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeAlias

Json: TypeAlias = Mapping[str, object]

_CURRENCY = re.compile(r"[a-z]{3}")
_LATEST_SECOND = 253_402_300_799  # the last second of the year 9999


class UnreadableError(ValueError):
    """The provider's JSON lacks what a fact needs, or contradicts itself. Carries none of its text."""


def an_object(body: object, kind: str) -> Json:
    """The body, if it is an object of this kind."""
    if not isinstance(body, Mapping) or body.get("object") != kind:
        raise UnreadableError(f"no {kind}")
    return body


def text(body: Json, name: str) -> str:
    """A text that is there."""
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise UnreadableError(f"no {name}")
    return value


def optional_text(body: Json, name: str) -> str | None:
    """A text, or None where there is none."""
    return None if body.get(name) is None else text(body, name)


def reference(body: Json, name: str) -> str | None:
    """The id of another object, which Stripe shows as an id or, expanded, as the object."""
    value = body.get(name)
    return text(value, "id") if isinstance(value, Mapping) else optional_text(body, name)


def currency(body: Json) -> str:
    """Its currency, in lower case."""
    word = text(body, "currency")
    if not _CURRENCY.fullmatch(word):
        raise UnreadableError("no currency")
    return word


def amount(body: Json, name: str) -> int:
    """An amount in minor units, never negative."""
    value = body.get(name)
    if type(value) is not int or value < 0:
        raise UnreadableError(f"no {name}")
    return value


def page(body: object) -> tuple[list[object], bool]:
    """One page of a list, and whether there are more."""
    data = body.get("data") if isinstance(body, Mapping) else None
    more = body.get("has_more") if isinstance(body, Mapping) else None
    if not isinstance(data, list) or not isinstance(more, bool):
        raise UnreadableError("no page of a list")
    return data, more


def moment(seconds: object) -> datetime:
    """Whole seconds since the epoch, as Stripe tells time.

    Raises:
        UnreadableError: it is no time.
    """
    if type(seconds) is not int or not 0 <= seconds <= _LATEST_SECOND:
        raise UnreadableError("no time")
    return datetime.fromtimestamp(seconds, UTC)


def flag(body: Json, name: str) -> bool:
    """Yes or no, said outright."""
    value = body.get(name)
    if not isinstance(value, bool):
        raise UnreadableError(f"no {name}")
    return value


def matching(body: object, name: str, pattern: re.Pattern[str]) -> str | None:
    """A text of this pattern; None for anything else. For what is only shown, and refuses nothing."""
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) and pattern.fullmatch(value) else None
