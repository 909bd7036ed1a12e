"""The refund request: one business intent to refund one payment, the unit of identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from governor.domain.admission import Denial, NextAction
from governor.domain.late_limits import NEEDS_CAPACITY
from governor.domain.lifecycle import State
from governor.domain.limit_lines import LimitLine
from governor.domain.limits import Subject


@dataclass(frozen=True)
class RefundRequest:
    """A refund request as it stands. Amounts in minor units of `currency`, times in UTC.

    `amount_minor` is what is refunded; an approver may have allowed less than `asked_amount_minor`.

    `limits` is the arithmetic of every limit looked at, as it was when the decision was taken: a replay
    shows the same sums. `lease_token` fences the worker that holds it; `first_sent_at` ages the key.
    """

    environment: str
    id: str
    operation_key: str
    fingerprint: str
    payment: str
    amount_minor: int
    asked_amount_minor: int
    currency: str
    reason: str | None
    case: str | None
    note: str | None
    customer: str | None
    account: str
    requested_by: str
    credentials: tuple[str, ...]
    agent: str
    person: str
    state: State
    hold: str | None
    created_at: datetime
    updated_at: datetime
    denial: Denial | None = None
    next_action: NextAction = NextAction.NONE
    next_action_at: datetime | None = None
    duplicate_of: str | None = None
    limits: tuple[Mapping[str, Any], ...] = ()
    rules: tuple[Mapping[str, Any], ...] = ()
    """The rules that fired, each at its revision and with its arithmetic, as they were when it was decided."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None
    expiring_at: datetime | None = None
    """When people are told that its time to be decided runs out; None once they were."""
    quorum: int = 0
    hold_version: int = 0
    due_at: datetime | None = None
    attempts: int = 0
    first_sent_at: datetime | None = None
    lease_token: int = 0
    lease_until: datetime | None = None
    provider_reference: str | None = None
    moved_minor: int = 0
    cancel_requested_at: datetime | None = None
    looks: int = 0
    flagged_at: datetime | None = None
    """Since when an operator is asked to look: recovery alone did not find out what happened."""
    manual: bool = False
    """Whether two people said how it ended, and no evidence has settled it."""
    last_reason: str | None = None
    """The short stable word of the newest verdict or refusal ("read_timeout", "charge_disputed")."""
    unproven: tuple[str, ...] = ()
    """The limits it holds without a proof that it fits under them, and what else it lacks (governor.domain.late_limits)."""

    def is_leased(self, token: int, now: datetime) -> bool:
        """Whether the lease with this token holds at `now`: it was not taken over, not booked as lost, and has not run out."""
        ours = self.state is State.DISPATCHING and self.lease_token == token
        return ours and self.lease_until is not None and now < self.lease_until

    @property
    def parked(self) -> bool:
        """Whether it waits, held, until a limit that came later has room for it."""
        return self.state is State.QUEUED and bool(self.unproven) and self.last_reason == NEEDS_CAPACITY

    @property
    def amounts(self) -> frozenset[int]:
        """By which amounts a later request would be a repetition of it."""
        return frozenset({self.amount_minor, self.asked_amount_minor})

    @property
    def subject(self) -> Subject:
        """The trusted values that chose its limits."""
        return Subject(
            self.environment,
            self.credentials,
            self.agent,
            self.customer,
            self.payment,
            self.case,
            self.currency,
        )


_KEY_PREFIX = "governor-"


def provider_key(request_id: str) -> str:
    """The idempotency key of every call for this request, for life (invariant 5)."""
    return f"{_KEY_PREFIX}{request_id}"


def request_of_key(key: str | None) -> str | None:
    """The request whose calls carry this key; None for a key of somebody else."""
    return key.removeprefix(_KEY_PREFIX) if key is not None and key.startswith(_KEY_PREFIX) else None


def hold_of_request(request_id: str) -> str:
    """A request has one hold, and it carries the request's own number."""
    return f"hold_{request_id.removeprefix('rr_')}"


def request_of(hold: str) -> str:
    """The id of the request that a hold belongs to."""
    return f"rr_{hold.removeprefix('hold_')}"


@dataclass(frozen=True)
class HoldRow:
    """A hold: the share of one counter that one request occupies. `amount` as the limit's measure says."""

    request: str
    counter: int
    limit: str
    amount: int
    state: str
    settled: int = 0


@lru_cache(maxsize=1024)
def spelled(at: datetime) -> str:
    """RFC 3339 in UTC with a Z."""
    return at.isoformat().replace("+00:00", "Z")


def shown_limits(lines: tuple[LimitLine, ...]) -> tuple[dict[str, Any], ...]:
    """The arithmetic of a decision's lines, as every surface shows it and as the request keeps it."""
    return tuple(_shown(line) for line in lines)


def _shown(line: LimitLine) -> dict[str, Any]:
    limit, span = line.charge.limit, line.charge.span
    shown: dict[str, Any] = {
        "limit": limit.id,
        "scope": limit.scope.value,
        "value": line.charge.key.value,
        "measure": limit.measure.value,
        "currency": limit.currency,
        "window": limit.window.value,
        "window_days": limit.window_days,
        "time_zone": limit.time_zone,
        "cap": limit.cap,
        "settled": line.settled,
        "reserved": line.reserved,
        "headroom": line.headroom,
        "requested": line.charge.amount,
        "resets_at": spelled(span.end) if span.end else None,
    }
    if line.holders:
        shown["held_by"] = [
            {"hold": holder.hold, "refund_request": holder.request, "amount": holder.amount}
            for holder in line.holders
        ]
    return shown
