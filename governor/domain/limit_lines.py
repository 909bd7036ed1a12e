"""The arithmetic of one limit for one request, as it is when a decision is taken, and what all of them leave together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.late_limits import any_amount
from governor.domain.limits import Charge, CounterKey, Holder, Measure, Subject, Usage


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


def narrowest(lines: Sequence[LimitLine]) -> LimitLine | None:
    """The line that stops a growing refund first; None when no line would stop any.

    A count that is used up stops everything; one that is not says nothing about how much.
    """
    used_up = [line for line in lines if line.charge.limit.measure is Measure.COUNT and line.headroom < 1]
    amounts = [line for line in lines if line.charge.limit.measure is Measure.AMOUNT]
    return min(used_up or amounts, key=lambda line: line.headroom, default=None)


def most_at_once(lines: Sequence[LimitLine], refundable_minor: int | None) -> int:
    """The largest refund that all these limits have room for (minor units), zero when nothing permits one.

    `refundable_minor` is what is left of the payment; None where no payment is named.
    """
    first = narrowest(lines)
    if (
        first is None
        or first.charge.limit.measure is Measure.COUNT
        or not any_amount(line.charge for line in lines)
    ):
        return 0
    return max(0, min(first.headroom, first.headroom if refundable_minor is None else refundable_minor))


@dataclass(frozen=True)
class Origin:
    """Where the cap of a line comes from.

    `named`: the limit is set for this very value; else each value of its scope has the same. `above`: it counts a key
    above the subject's own. `until`: when another cap counts by itself (UTC), and `then` that cap.
    """

    named: bool
    above: bool
    until: datetime | None = None
    then: int | None = None


def origin_of(line: LimitLine, subject: Subject, now: datetime) -> Origin:
    """Where the cap that counts at `now` comes from, for this subject."""
    limit, value = line.charge.limit, line.charge.key.value
    caps = ((at, one.cap) for at, one in limit.turns(now) if one.cap != limit.cap)
    until, then = next(caps, (None, None))
    return Origin(limit.value is not None, value in subject.credentials[1:], until, then)


def threshold_of(limit: str | None, lines: Iterable[LimitLine]) -> int | None:
    """Above which amount a limit asks for approval, in minor units; None for a limit that is not among the lines."""
    asking = (line.charge.limit for line in lines if line.charge.limit.id == limit)
    return next((one.approval_above for one in asking), None)
