"""What requesters asked for lately, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from governor.domain.lifecycle import State
from governor.ports.approvals import Approvals
from governor.usecases.customer_requests import LOOKED_BACK

COUNTED = 200
"""How many requests of one credential are counted; beyond it, says so."""


@dataclass(frozen=True)
class Record:
    """What credentials asked for in the last 30 days: by state, and sums of what was refunded by currency (minor units).

    `whole` is False when there was more than is counted here.
    """

    states: Counter[State]
    refunded: Counter[str]
    whole: bool

    @property
    def asked(self) -> int:
        """How many requests there were."""
        return self.states.total()


def record_of(
    approvals: Approvals, environment: str, requesters: Collection[str], now: datetime, *, but: str = ""
) -> Record:
    """The record of these credentials together at `now`, `but` this request."""
    states: Counter[State] = Counter()
    refunded: Counter[str] = Counter()
    whole = True
    for requester in requesters:
        since = now - LOOKED_BACK
        lines = approvals.record_of(environment, requester, since, but=but, at_most=COUNTED)
        for line in lines:
            states[line.state] += line.count
            refunded[line.currency] += line.moved_minor
        whole &= sum(line.count for line in lines) < COUNTED
    return Record(states, refunded, whole)
