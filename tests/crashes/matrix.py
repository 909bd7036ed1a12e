"""The rows of the table of crashes (tests/crashes/table.py), as the tests play them."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.lifecycle import State
from tests.crashes.dying import Fault, Place
from tests.crashes.table import TABLE

NOTHING = "nothing"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    rows: str
    story: str
    place: Place
    killed: State | None
    thrown: State | None

    def left(self, fault: Fault) -> State | None:
        """What the database says right after the fault; None where nothing is recorded."""
        return self.thrown if fault is Fault.THROW else self.killed

    def __str__(self) -> str:
        return f"{self.rows}-{self.story.replace(' ', '_')}-{self.place}"


def _row(story: str, line: str) -> Row:
    rows, place, *left = line.split()
    name, _, times = place.partition("#")
    states = [None if word == NOTHING else State(word) for word in left]
    return Row(rows, story, Place(name, int(times or 1)), states[0], states[-1])


MATRIX = [_row(story, line) for story, lines in TABLE.items() for line in lines.strip().splitlines()]
