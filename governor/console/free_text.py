"""What somebody else wrote, shown as what it is: nothing in it is invisible, turns text around or piles up (§5.2 T26)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby

_UNSEEN_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
"""Letters that draw nothing."""
_PLAIN = frozenset("\n\t ")
_IN_AMOUNT = re.compile("(?<=[A-Z])(?:\u202f(?=CFA)|\u00a0(?=[0-9]))")
"""The space that amounts have between currency and number, where no line breaks: "ISK 5.00"."""
MARKS_AT_ONCE = 3
"""No language puts more combining marks on one letter; five hundred of them cover the lines around."""


def pieces(text: str) -> list[tuple[bool, str]]:
    """The text in pieces: (False, as it is), and (True, the name of what would not be seen): `U+202E`, `U+0301 ×497`."""
    if text.isascii() and text.isprintable():
        return [(False, text)] if text else []
    runs = groupby(_characters(text), key=lambda one: one[1])
    return [_joined(name, [character for character, _ in run]) for name, run in runs]


def _characters(text: str) -> Iterator[tuple[str, str]]:
    """Each character with its name where it would not be seen, else with none."""
    marks = 0
    in_amounts = {match.start() for match in _IN_AMOUNT.finditer(text)}
    for at, character in enumerate(text):
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        seen = at in in_amounts or (marks <= MARKS_AT_ONCE and _is_seen(character))
        yield character, "" if seen else f"U+{ord(character):04X}"


def _is_seen(character: str) -> bool:
    if character in _PLAIN:
        return True
    return unicodedata.category(character) not in _UNSEEN_CATEGORIES and character not in _UNSEEN


def _joined(name: str, characters: list[str]) -> tuple[bool, str]:
    if not name:
        return False, "".join(characters)
    return True, name if len(characters) == 1 else f"{name} ×{len(characters)}"
