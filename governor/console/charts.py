"""Plots as values: what is measured over what, and where its lines and bars lie. Drawn without scripts, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

WIDTH, HEIGHT = 640, 240
"""The picture's own units; it grows and shrinks with the page."""
LEFT, RIGHT, TOP, BOTTOM = 72, 12, 12, 28
"""Room around the plot for what is written there."""
LABELS_AT_MOST = 8
TICKS = 4


class Kind(StrEnum):
    """LINE: each series a line of its own. BARS: at each place one bar, the series on top of one another."""

    LINE = "line"
    BARS = "bars"


@dataclass(frozen=True)
class Series:
    """One thing that is measured: a value for each label of the chart, None where nothing is known."""

    name: str
    values: Sequence[int | None]


@dataclass(frozen=True)
class Bar:
    """One piece of a bar, in the picture's units."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Chart:
    """A plot. `said` is what it shows in one sentence, for whoever does not see it.

    `spelled` writes a value for people, `short` where there is little room; `ceiling` is a value that a line is drawn at, with its name.
    """

    title: str
    said: str
    labels: Sequence[str]
    series: Sequence[Series]
    kind: Kind = Kind.LINE
    spelled: Callable[[int], str] = str
    ceiling: tuple[str, int] | None = None
    short: Callable[[int], str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(value is not None for one in self.series for value in one.values)

    @property
    def top(self) -> int:
        """The value at the upper edge: a round one, above all that is shown."""
        return rounded_up(max([*self._heights(), self.ceiling[1] if self.ceiling else 0, 1]))

    def _heights(self) -> list[int]:
        if self.kind is Kind.BARS:
            return [sum(one.values[at] or 0 for one in self.series) for at in range(len(self.labels))]
        return [value for one in self.series for value in one.values if value is not None]

    def x(self, at: int) -> int:
        """Where the label number `at` stands: the middle of its share of the width."""
        room = WIDTH - LEFT - RIGHT
        return LEFT + (2 * at + 1) * room // (2 * max(1, len(self.labels)))

    def y(self, value: int) -> int:
        """How far down a value lies."""
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM) // self.top

    @property
    def ticks(self) -> list[tuple[int, str]]:
        """The lines across, from the lowest: how far down, and what they stand for."""
        values = [self.top * step // TICKS for step in range(TICKS + 1)]
        return [(self.y(value), (self.short or self.spelled)(value)) for value in values]

    @property
    def written(self) -> list[tuple[int, str]]:
        """The labels that there is room for: where, and what."""
        step = -(-len(self.labels) // LABELS_AT_MOST) or 1
        return [(self.x(at), label) for at, label in enumerate(self.labels) if at % step == 0]

    def path(self, one: Series) -> str:
        """A series as an SVG path, broken where nothing is known."""
        drawn, pen = [], "M"
        for at, value in enumerate(one.values):
            if value is None:
                pen = "M"
                continue
            drawn.append(f"{pen}{self.x(at)} {self.y(value)}")
            pen = "L"
        return "".join(drawn)

    def dots(self, one: Series) -> list[tuple[int, int]]:
        """Where the known values of a series lie: a line of a single point would not be seen."""
        return [(self.x(at), self.y(value)) for at, value in enumerate(one.values) if value is not None]

    def bars(self, number: int) -> list[Bar]:
        """The pieces of series `number`, each on top of those of the series before it."""
        width = max(2, (WIDTH - LEFT - RIGHT) * 2 // (3 * max(1, len(self.labels))))
        pieces = []
        for at in range(len(self.labels)):
            below = sum(one.values[at] or 0 for one in self.series[:number])
            value = self.series[number].values[at] or 0
            upper = self.y(below + value)
            if value:
                pieces.append(Bar(self.x(at) - width // 2, upper, width, max(1, self.y(below) - upper)))
        return pieces

    def shown(self, value: int | None) -> str:
        """A value in the table that says the same."""
        return "not known" if value is None else self.spelled(value)


def rounded_up(value: int) -> int:
    """The next of 4, 8, 12, 20, 40, 80, 120 … that is not below: each falls into four whole steps."""
    scale = 4
    while True:
        for factor in (1, 2, 3, 5):
            if value <= scale * factor:
                return scale * factor
        scale *= 10
