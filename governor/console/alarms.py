"""What calls for an operator, in words: each with where to look, the worst first. Nothing here is decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from governor.domain.processes import DUTIES, Attendance, ProcessKind

STOPS_ALL = frozenset({ProcessKind.WEB, ProcessKind.WORKER})
"""Without these, no refund leaves; without the others, something else is late."""


@dataclass(frozen=True)
class Alarm:
    """One sentence, its tone (danger, warning), and the page below the environment where to look."""

    tone: str
    words: str
    page: str | None = None


def missing_processes(found: Iterable[Attendance]) -> Iterator[Alarm]:
    """Kinds of process that something waits for."""
    for one in found:
        if one.is_missing:
            without = DUTIES[one.kind].without
            words = f"No {one.kind.value} runs: {without}."
            yield Alarm("danger" if one.kind in STOPS_ALL else "warning", words)


def worst_first(alarms: Iterable[Alarm]) -> list[Alarm]:
    """What stops refunds before what only makes something late."""
    return sorted(alarms, key=lambda one: one.tone != "danger")
