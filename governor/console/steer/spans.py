"""Lengths of time as operators type them and read them back."""

from __future__ import annotations

import re

from governor.domain.environments import LEAST_APPROVAL_SECONDS, MOST_APPROVAL_SECONDS

_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 24 * 3600}
_SPAN = re.compile(r"([0-9]{1,7}) ?(second|minute|hour|day)s?", re.ASCII | re.IGNORECASE)


def typed_span(text: str) -> int:
    """A length of time as people write it, in seconds: "90 minutes", "8 hours", "2 days".

    Raises:
        ValueError: it is none.
    """
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise ValueError("Type a number of seconds, minutes, hours or days, like 8 hours.")
    return int(match[1]) * _UNITS[match[2].lower()]


def approval_span(text: str) -> int:
    """How long approvers have, in seconds.

    Raises:
        ValueError: it is no length of time, or not between a minute and 30 days.
    """
    seconds = typed_span(text)
    if not LEAST_APPROVAL_SECONDS <= seconds <= MOST_APPROVAL_SECONDS:
        raise ValueError("A request waits for at least 1 minute, and for at most 30 days.")
    return seconds


def span_words(seconds: int) -> str:
    """The same back, in the largest unit that says it exactly."""
    unit, length = next(one for one in reversed(_UNITS.items()) if seconds % one[1] == 0)
    count = seconds // length
    return f"1 {unit}" if count == 1 else f"{count} {unit}s"
