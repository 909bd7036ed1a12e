"""Tables of reports as values: what a column holds, and the same as lines of CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from governor.domain.money import Money, decimal_text
from governor.http.spreadsheet import csv_line


class Holds(StrEnum):
    """What the cells of a column hold; each may be None, which is said to be absent.

    WORDS: our own. TEXT: what somebody else wrote, names included. MOMENT: a datetime, UTC. NUMBER: an int. SPAN: a
    timedelta. FIGURE: a Figure. CHANGE: a pair of Figures, before and after. SUMS: minor units by currency. OBJECT: an
    id. THING: an id with what people call it, or None. LEADS_ON: a Link.
    """

    WORDS = "words"
    TEXT = "text"
    MOMENT = "moment"
    NUMBER = "number"
    SPAN = "span"
    FIGURE = "figure"
    CHANGE = "change"
    SUMS = "sums"
    OBJECT = "object"
    THING = "thing"
    LEADS_ON = "leads_on"


@dataclass(frozen=True)
class Figure:
    """Minor units of a currency, or a number of refunds when there is none."""

    number: int
    currency: str | None

    @property
    def unit(self) -> str:
        """What it is a number of, in a file."""
        return self.currency or "refunds"

    @property
    def amount(self) -> int | str:
        """How many of its unit, in a file: 1250 minor units of usd are "12.50"."""
        return self.number if self.currency is None else decimal_text(Money(self.number, self.currency))


@dataclass(frozen=True)
class Link:
    """Where a line leads: a page of the environment, with its query."""

    words: str
    path: str
    query: Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Column:
    """A column: its name in a file and what it is called on the page, each empty where it is not there; what it holds."""

    name: str
    label: str
    holds: Holds

    @property
    def is_number(self) -> bool:
        """Whether it is set to the right."""
        return self.holds in {Holds.NUMBER, Holds.FIGURE, Holds.SPAN}

    @property
    def headings(self) -> tuple[str, ...]:
        """What its cells are called in a file; none for what only leads on."""
        if not self.name:
            return ()
        match self.holds:
            case Holds.FIGURE:
                return self.name, f"{self.name}_unit"
            case Holds.THING:
                return self.name, f"{self.name}_in_words"
            case Holds.CHANGE:
                return f"{self.name}_before", f"{self.name}_after", f"{self.name}_unit"
            case Holds.SPAN:
                return (f"{self.name}_seconds",)
            case _:
                return (self.name,)

    def in_file(self, cell: Any) -> tuple[object, ...]:  # noqa: ANN401  as the column says
        """A cell's cells in a file."""
        if cell is None or not self.name:
            return (None,) * len(self.headings)
        match self.holds:
            case Holds.MOMENT:
                return (_moment(cell),)
            case Holds.SPAN:
                return (_seconds(cell),)
            case Holds.FIGURE:
                return cell.amount, cell.unit
            case Holds.THING:
                return tuple(cell)
            case Holds.CHANGE:
                return _change(*cell)
            case Holds.SUMS:
                return ("; ".join(_sum(Figure(minor, currency)) for currency, minor in sorted(cell.items())),)
            case Holds.LEADS_ON:
                return (cell.words,)
            case _:
                return (cell,)


def csv_of(columns: Sequence[Column], lines: Iterable[Sequence[Any]]) -> str:
    """The lines as a file, its headings first; a spreadsheet reads all of it as text and numbers."""
    headings = csv_line(heading for column in columns for heading in column.headings)
    return headings + "".join(
        csv_line(one for column, cell in zip(columns, line, strict=True) for one in column.in_file(cell))
        for line in lines
    )


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seconds(span: timedelta) -> str:
    milliseconds = span // timedelta(milliseconds=1)
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def _sum(figure: Figure) -> str:
    return f"{figure.amount} {figure.unit}"


def _change(before: Figure | None, after: Figure | None) -> tuple[object, ...]:
    one = after or before
    numbers = tuple(None if figure is None else figure.amount for figure in (before, after))
    return (*numbers, None if one is None else one.unit)
