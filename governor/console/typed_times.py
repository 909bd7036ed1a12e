"""Times as people type them. As an end, a day is there to its last instant, as people mean it; for programs it begins."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from governor.domain.windows import moment


def begin(text: str) -> datetime:
    """A moment, UTC: of a day its first instant.

    Raises:
        ValueError: it is neither a date nor an RFC 3339 time with its zone; the words are for whoever typed it.
    """
    try:
        return moment(text)
    except ValueError:
        raise ValueError(
            "Type a date like 2026-11-30, or a time with its zone, like 2026-11-30T08:00:00Z."
        ) from None


def end(text: str) -> datetime:
    """A moment as an end, UTC: of a day the first instant after it.

    Raises:
        ValueError: as of `begin`.
    """
    return begin(text) + (timedelta(days=1) if _is_day(text) else timedelta(0))


def spelled_end(text: str) -> str:
    """The same for programs: a day becomes the instant after it; whatever else was typed stays, to be read by them."""
    try:
        return end(text).isoformat() if _is_day(text) else text
    except ValueError:
        return text


def _is_day(text: str) -> bool:
    """Whether it is a date, however ISO 8601 writes one: 2026-11-30, 20261130, 2026-W49-1."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
