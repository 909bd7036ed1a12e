"""What is counted for those who watch: within one environment, and never more than was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.last_day import AskedCount
from governor.domain.provider_health import Calls


@dataclass(frozen=True)
class Depth:
    """How many requests wait to be sent, when the first of them was due, and how many are being sent.

    And how many wait for approval, and when the oldest of those was asked for. Times are UTC.
    """

    queued: int
    first_due_at: datetime | None
    sending: int
    for_approval: int
    oldest_asked_at: datetime | None


class Figures(Protocol):
    """Looking; nothing is locked.

    Raises:
        Unavailable: from every method when the database cannot be read.
    """

    def asked(self, environment: str, since: datetime, *, at_most: int) -> tuple[AskedCount, ...]:
        """What was asked for since then, of the newest `at_most` requests."""
        ...

    def depth(self, environment: str, *, counted: int) -> Depth:
        """How much waits, and since when; of each no more than `counted` are counted."""
        ...

    def calls(self, environment: str, since: datetime, *, at_most: int) -> Calls:
        """How the refund calls ended whose replies came since then, of the newest `at_most`."""
        ...

    def webhook_at(self, environment: str) -> datetime | None:
        """When the last webhook came (UTC); None when none ever did."""
        ...
