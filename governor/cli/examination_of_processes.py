"""What `governor doctor` says of the processes: how many live, and what waits because one is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from governor.bootstrap import Application
from governor.domain.processes import DUTIES, Attendance


def attending(app: Application) -> tuple[Attendance, ...]:
    """Who lives, as far as it matters to any environment."""
    with app.store.reading() as reads:
        return app.oversight.processes([one.name for one in reads.environments()])


def missing(found: Iterable[Attendance]) -> Iterator[str]:
    """One sentence for each kind that something waits for."""
    for one in found:
        if one.is_missing:
            last = (
                f"the last was seen at {one.seen_at:%H:%M:%S} UTC" if one.seen_at else "none was seen of late"
            )
            without = DUTIES[one.kind].without
            yield f"{without}: no `governor {one.kind.value}` lives, {last}"


def living(found: Iterable[Attendance]) -> str:
    """How many of each kind, where none is missing."""
    *others, last = [f"{len(one.living)} {one.kind.value}" for one in found if one.living]
    return f"{', '.join(others)} and {last} live"
