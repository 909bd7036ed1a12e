"""What one person said, as four columns of a row."""

from __future__ import annotations

from typing import Any

from adapters.sql import rows
from governor.domain.second_person import Word


def word_from(row: rows.Row, name: str) -> Word | None:
    """The word in the columns `<name>_person`, `_credential`, `_reason` and `_at`; None while nobody has said it."""
    at = row[f"{name}_at"]
    return None if at is None else first_word_from(row, name)


def first_word_from(row: rows.Row, name: str) -> Word:
    """The word without which there would be no row."""
    at = rows.instant(row[f"{name}_at"])
    return Word(row[f"{name}_person"], row[f"{name}_credential"], row[f"{name}_reason"], at)


def word_values(name: str, word: Word | None) -> dict[str, Any]:
    """A word as parameters of a statement."""
    return {f"{name}_{part}": getattr(word, part, None) for part in ("person", "credential", "reason", "at")}
