"""The arithmetic of one limit for one request, as it is when a decision is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from governor.domain.limits import Charge, CounterKey, Holder, Measure, Usage


@dataclass(frozen=True)
class LimitLine:
    """The arithmetic of one limit as it was when the decision was taken."""

    charge: Charge
    settled: int
    reserved: int
    holders: tuple[Holder, ...] = ()

    @property
    def exposure(self) -> int:
        """What is taken already, of this window and of the earlier days that it counts."""
        return self.settled + self.reserved

    @property
    def headroom(self) -> int:
        """Negative after a cap was lowered below the exposure."""
        return self.charge.limit.cap - self.exposure

    @property
    def fits(self) -> bool:
        """Whether the request fits under this limit."""
        return self.charge.amount <= self.headroom

    @property
    def asks_approval(self) -> bool:
        """Whether the request passes the limit's `approval_above`."""
        above = self.charge.limit.approval_above
        return above is not None and self.charge.amount > above

    @property
    def frees_at(self) -> datetime | None:
        """When the window starts over, if the same request fits into an empty one."""
        return self.charge.span.end if self.charge.amount <= self.charge.limit.cap else None

    @property
    def gives_less(self) -> bool:
        """Whether a smaller amount fits, now or once the window starts over."""
        widest = self.headroom if self.charge.span.end is None else self.charge.limit.cap
        return self.charge.limit.measure is Measure.AMOUNT and widest > 0


def line_of(charge: Charge, counters: Mapping[CounterKey, Usage]) -> LimitLine:
    """The arithmetic of one charge over its counter."""
    usage = counters[charge.key] if charge.counted else Usage()
    return LimitLine(charge, settled=usage.settled + usage.earlier, reserved=usage.reserved)
