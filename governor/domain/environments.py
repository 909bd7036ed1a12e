"""An environment: an isolated world with one Stripe account in test mode. Nothing crosses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from governor.domain.errors import invalid
from governor.domain.late_limits import LateLimits

SETTLING = timedelta(seconds=60)
"""After a change of the database's history a call that the old one had allowed may still arrive: as long as a lease."""


LEAST_RATE, MOST_RATE = 1, 1000
"""Calls to the provider a second. Stripe takes 25 in a sandbox and more by agreement; what it does not take, it says (429)."""

LEAST_APPROVAL_SECONDS, MOST_APPROVAL_SECONDS = 60, 30 * 24 * 3600
"""How long a hold may wait for its approvers."""

UNDO_SECONDS, MOST_UNDO_SECONDS = 5, 300
"""For how long an approval in the console can be undone: enough to see what one has pressed, and nobody has to wait."""


class Mode(StrEnum):
    """ENFORCE blocks what does not fit; OBSERVE decides and records, and never blocks (roll-out)."""

    ENFORCE = "enforce"
    OBSERVE = "observe"


@dataclass(frozen=True)
class Environment:
    """The settings of one environment. `*_reason` is None while that stop is not in force.

    `frozen_reason` is a person's stop, `paused_reason` the provider refusing our key (401/403),
    `halted_reason` an overrun or inconsistent evidence (invariant 11). Since `fenced_at` (UTC) the database is
    another one than dispatch knew, and may have forgotten refunds. Any of them stops provider writes.
    `late_limits`: what becomes of a request that a later limit has no room for. `expiry_notices`: whether people are
    told that the time to decide a hold runs out. `raises_need_two`: whatever allows more takes two people.
    `reasons_required`: whoever changes a limit says why. `prove_above`, `type_above`: above how much, in minor units by
    currency, an approval in the console takes a fresh proof of who it is, or the amount typed (governor.domain.care).
    `undo_seconds`: for how long such an approval can be undone before it is sent.
    """

    name: str
    account: str
    mode: Mode
    frozen_reason: str | None
    paused_reason: str | None
    halted_reason: str | None
    rate_per_second: int
    approval_seconds: int
    limits_revision: int
    revision: int
    created_at: datetime
    fenced_at: datetime | None = None
    late_limits: LateLimits = LateLimits.HOLD
    expiry_notices: bool = True
    raises_need_two: bool = False
    reasons_required: bool = False
    prove_above: Mapping[str, int] = field(default_factory=dict)
    type_above: Mapping[str, int] = field(default_factory=dict)
    undo_seconds: int = UNDO_SECONDS

    def loosened(self, after: Environment) -> bool:
        """Whether `after` would let one person do what takes two here: raise, have nothing blocked, approve with less care."""
        observes = after.mode is Mode.OBSERVE and self.mode is Mode.ENFORCE
        careless = asks_less(self.prove_above, after.prove_above) or asks_less(
            self.type_above, after.type_above
        )
        return self.raises_need_two and (observes or careless or not after.raises_need_two)

    @property
    def stops(self) -> dict[str, str | None]:
        """Each kind of stop with its reason, for whoever records what changed."""
        fenced = None if self.fenced_at is None else self.fenced_at.isoformat()
        return {
            "frozen": self.frozen_reason,
            "halted": self.halted_reason,
            "paused": self.paused_reason,
            "fenced": fenced,
        }

    @property
    def stopped(self) -> str | None:
        """The reason why nothing may be written to the provider, or None. A reason left empty stops, too."""
        fenced = None if self.fenced_at is None else "history_changed"
        reasons = (self.frozen_reason, fenced, self.halted_reason, self.paused_reason)
        return next((reason for reason in reasons if reason is not None), None)

    def needs_walk(self, walked_at: datetime | None) -> bool:
        """Whether a walk of the provider's lists that began then was too early to find all that was forgotten."""
        return self.fenced_at is not None and (walked_at is None or walked_at < self.fenced_at + SETTLING)


def asks_less(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether there is an amount that asked for more than a click above `before`, and does not above `after`.

    As governor.domain.care reads them: nothing named asks for nothing, and beside what is named every other currency
    asks from the first unit on.
    """
    return bool(before) and (
        not after or any(after.get(one, 0) > before.get(one, 0) for one in {*before, *after})
    )


def check_pace(rate_per_second: int, approval_seconds: int, undo_seconds: int) -> None:
    """Refuse a rate, a time for approvals or a time to undo one that cannot be. The database repeats the ranges.

    Raises:
        Invalid: about `/rate_per_second`, `/approval_seconds` or `/undo_seconds`.
    """
    if not LEAST_RATE <= rate_per_second <= MOST_RATE:
        detail = f"The provider is called {LEAST_RATE} to {MOST_RATE} times a second."
        raise invalid("/rate_per_second", "rate_out_of_range", detail)
    if not LEAST_APPROVAL_SECONDS <= approval_seconds <= MOST_APPROVAL_SECONDS:
        detail = "A request waits for at least 1 minute, and for at most 30 days."
        raise invalid("/approval_seconds", "approval_out_of_range", detail)
    if not 0 <= undo_seconds <= MOST_UNDO_SECONDS:
        detail = f"An approval in the console can be undone for {MOST_UNDO_SECONDS} seconds at most."
        raise invalid("/undo_seconds", "undo_out_of_range", detail)
