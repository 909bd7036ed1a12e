"""What waits to be sent, as people look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from governor.domain.requests import RefundRequest


class Heap(StrEnum):
    """READY a worker may take it now; LEASED one has it; LATER its time comes; the others are held up.

    PARKED: a limit that came later has no room. FROZEN: somebody has stopped it. BEHIND: another refund of its payment
    is under way or in doubt.
    """

    READY = "ready"
    LEASED = "leased"
    LATER = "later"
    PARKED = "parked"
    FROZEN = "frozen"
    BEHIND = "behind"


@dataclass(frozen=True)
class Waiting:
    """How many are in a heap, and the first of them in the order in which their time comes."""

    count: int = 0
    first: tuple[RefundRequest, ...] = ()


@dataclass(frozen=True)
class Queue:
    """All heaps that are not empty. `bells`: how many times workers are still to be rung; `next_bell_at`: next (UTC).

    `is_whole` false: more waits than was counted.
    """

    heaps: Mapping[Heap, Waiting]
    bells: int
    next_bell_at: datetime | None
    is_whole: bool


class Queues(Protocol):
    """Looking, within one environment."""

    def queue(self, environment: str, now: datetime, *, shown: int, counted: int) -> Queue:
        """As it stands at `now`: `shown` of each heap at most, and no more than `counted` are counted.

        Raises:
            Unavailable: the database cannot be read.
        """
        ...
