"""Looking at the last 24 hours: what was asked for and what became of it, and what waits now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from governor.domain.last_day import LastDay, begins_at, last_day
from governor.ports.figures import Depth, Figures
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.see_queue import COUNTED

MOST_ASKED: Final = 10_000
"""So many of the newest requests are counted: a look costs the same however busy the day was."""


@dataclass(frozen=True)
class SeeLastDay:
    """The operators' view, always within the caller's environment."""

    store: UnitOfWork
    figures: Figures

    def __call__(self, caller: Caller) -> LastDay:
        """The last 24 hours.

        Raises:
            Unavailable: the database cannot be read.
        """
        now = self.store.now()
        counts = self.figures.asked(caller.environment, begins_at(now), at_most=MOST_ASKED)
        return last_day(counts, now, is_whole=sum(one.count for one in counts) < MOST_ASKED)

    def depth(self, caller: Caller) -> Depth:
        """How much waits to be sent and to be approved, and since when.

        Raises:
            Unavailable: the database cannot be read.
        """
        return self.figures.depth(caller.environment, counted=COUNTED)
