"""What people say in their own words: reasons, questions, answers."""

from __future__ import annotations

from governor.domain.errors import invalid

LONGEST = 2000
"""Characters: a reason, not a correspondence."""


def check_words(pointer: str, words: str | None) -> None:
    """Refuse words that say nothing: none, or only what cannot be seen (blanks, zero-width characters).

    Raises:
        Invalid: about the field `pointer`.
    """
    if words is None or not any(one.isprintable() and not one.isspace() for one in words):
        raise invalid(pointer, "words_missing", "Say it in words.")
    if len(words) > LONGEST:
        raise invalid(pointer, "words_too_long", f"In at most {LONGEST} characters.")
