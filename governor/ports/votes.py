"""What the store tells of how people decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from governor.domain.decided import Decided
from governor.domain.pairs import Pair


@dataclass(frozen=True)
class VoteFilter:
    """Which decisions a list shows: of requests of one person, by one person, approvals that took less than `within`."""

    asker: str | None = None
    approver: str | None = None
    within: timedelta | None = None


class Votes(Protocol):
    """Votes from `since` (inclusive) to `until` (exclusive), UTC, in one environment."""

    def pairs(self, environment: str, since: datetime, until: datetime) -> tuple[Pair, ...]:
        """Added up by the person who asked and the person who decided: approvals that stand, and rejections.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...

    def decided(
        self, environment: str, since: datetime, until: datetime, chosen: VoteFilter, *, at_most: int
    ) -> tuple[Decided, ...]:
        """The newest `at_most` of those that were chosen, newest first.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...
