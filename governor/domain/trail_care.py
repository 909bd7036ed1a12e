"""How an audit trail is looked after: where it was last anchored, and what its last verification found.

This says where to look. It proves nothing: whoever could change the trail could change this, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

ANCHORED_EVERY: Final = timedelta(hours=1)
"""How often cron says where each trail ends: what is cut off sooner is not noticed."""

OVERDUE: Final = 2 * ANCHORED_EVERY
"""An anchor that is older than this says that cron is not at work."""


class KeptIn(StrEnum):
    """Where an anchor went: a line of cron's log, or what the command line printed."""

    LOG = "log"
    COMMAND = "command"


@dataclass(frozen=True)
class Anchored:
    """Row `seq` was the last one when the trail was anchored. `key` names who signed that; None: nobody."""

    seq: int
    hash: str
    at: datetime
    kept_in: KeptIn
    key: str | None

    def is_overdue(self, now: datetime) -> bool:
        """Whether the next one should have come long ago."""
        return now - self.at > OVERDUE


@dataclass(frozen=True)
class Verified:
    """Rows `first` to `last` were held against what was sealed. `broken`: what was wrong first, and in which row.

    The last such look; but one that found a break counts until that row was looked at again.
    `run` is the run that did it; None: the command line.
    """

    first: int
    last: int
    at: datetime
    run: str | None
    broken: tuple[str, int] | None


@dataclass(frozen=True)
class TrailCare:
    """A trail whose last row is `last`, 0 while it has none; None for what never happened."""

    last: int
    anchored: Anchored | None
    verified: Verified | None
