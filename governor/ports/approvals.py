"""What approvers look at beyond one hold: everything that waits, what somebody has decided, who asks how often."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governor.domain.approval import Vote, hold_digest
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest


@dataclass(frozen=True)
class Decided:
    """What one person said of a hold, and when (UTC), with the request as it stands now."""

    request: RefundRequest
    vote: Vote
    at: datetime

    @property
    def counts_no_more(self) -> bool:
        """Whether it approved something else than what stands: it was taken back, or the hold changed."""
        now = self.request
        stands = hold_digest(now.hold or "", now.hold_version, now.shown)
        return self.vote.approves is not None and self.vote.approves != stands


@dataclass(frozen=True)
class RecordLine:
    """How many of a requester's refund requests stand in one state, and how much of them has left (minor units)."""

    state: State
    currency: str
    count: int
    moved_minor: int


class Approvals(Protocol):
    """Looking, within one environment."""

    def waiting(self, environment: str, now: datetime, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What still waits for approval at `now`: what was escalated, then the one that expires soonest."""
        ...

    def still_waiting(
        self, environment: str, requests: Collection[str], now: datetime
    ) -> tuple[RefundRequest, ...]:
        """Those of these requests that still wait for approval at `now`, the one that expires soonest first."""
        ...

    def votes_of(
        self, environment: str, holds: Collection[str]
    ) -> dict[str, tuple[tuple[Vote, datetime], ...]]:
        """The decisions on each of these holds, oldest first."""
        ...

    def decided_by(
        self, environment: str, person: str, *, before: datetime | None, at_most: int
    ) -> tuple[Decided, ...]:
        """What a person has said of holds, newest first; `before` is the time of the last one already seen."""
        ...

    def record_of(
        self, environment: str, requester: str, since: datetime, *, but: str, at_most: int
    ) -> tuple[RecordLine, ...]:
        """What became of the requests of a credential since then, `but` this one; of the newest `at_most`."""
        ...

    def of_customer(
        self, environment: str, customer: str, since: datetime, *, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """The requests for a customer's payments since then, newest first."""
        ...
