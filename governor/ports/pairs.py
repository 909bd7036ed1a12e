"""What the store tells of who decided whose requests."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from governor.domain.pairs import Pair


class Pairs(Protocol):
    """Votes, added up by the person who asked and the person who decided."""

    def between(self, environment: str, since: datetime, until: datetime) -> tuple[Pair, ...]:
        """Of votes from `since` (inclusive) to `until` (exclusive), UTC, by asker and approver.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...
