"""Markdown as we draw it: tables, and the marked places in a page that belong to the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

_PLACE = re.compile(r"(<!-- drawn: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def code(words: str) -> str:
    """Words that are to be read as they are spelt."""
    return f"`{words}`"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a pipe inside a cell is written so that it does not end the cell."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |" for cells in lines)


def drawings_in(page: str) -> list[str]:
    """The names of the drawings a page has places for."""
    return [name for _, name, _ in _PLACE.findall(page)]


def redrawn(page: str, drawings: Mapping[str, Callable[[], str]]) -> str:
    """The page with each marked place filled anew.

    Raises:
        KeyError: a place asks for a drawing that does not exist.
    """
    return _PLACE.sub(lambda place: f"{place[1]}\n{drawings[place[2]]()}\n\n{place[3]}", page)
