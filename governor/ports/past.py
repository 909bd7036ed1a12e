"""The past as it was asked for, to be replayed under another policy, and what became of each rule's firings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.replay_of_past import PastRefund
from governor.domain.rule_health import Hits


@dataclass(frozen=True)
class PastRead:
    """Refunds oldest first; how many requests the payment itself could not give, and whether none is missing."""

    refunds: tuple[PastRefund, ...]
    set_aside: int
    is_whole: bool


@dataclass(frozen=True)
class HitsRead:
    """Which rules fired for the `looked_at` requests since then (UTC), which are all that there are."""

    since: datetime
    looked_at: int
    hits: tuple[Hits, ...]


class Past(Protocol):
    """Reading what was. Everything within one environment, and bounded."""

    def refunds(self, environment: str, since: datetime, *, at_most: int) -> PastRead:
        """What was requested, and refunded elsewhere, since then; the newest `at_most` of each.

        Raises:
            Unavailable: the database cannot be read.
        """
        ...

    def refunded_before(self, environment: str, customers: Collection[str], at: datetime) -> frozenset[str]:
        """Those of them who had a refund by then."""
        ...

    def hits(self, environment: str, since: datetime, *, at_most: int, rule: str | None = None) -> HitsRead:
        """Which rules fired for the newest `at_most` requests since then, or only this one, and what became of them."""
        ...
