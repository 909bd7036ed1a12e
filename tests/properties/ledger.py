"""What admission should decide, worked out the slow way: no counters, every refund ever made is added up again.

Written apart from governor.domain.admission and limits: it shares nothing with them but their words.
"""

from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from governor.domain.limits import Limit, Subject


@dataclass
class Line:
    """One refund in the ledger; `amount` 0 once it was released."""

    subject: Subject
    amount: int
    at: datetime


@dataclass
class Ledger:
    """All refunds that were admitted, and what each payment captured."""

    captured: int
    limits: tuple[Limit, ...]
    lines: list[Line] = field(default_factory=list)

    def refusal(self, subject: Subject, amount: int, now: datetime) -> str | None:
        """Why this refund may not be made now."""
        of_payment = sum(line.amount for line in self.lines if line.subject.payment == subject.payment)
        if amount + of_payment > self.captured:
            return "amount_exceeds_refundable"
        bearing = [one for one in self.limits if one.currency in {None, subject.currency}]
        bearing = [one for one in bearing if _shared(one, subject, subject)]
        if not [one for one in bearing if one.measure == "amount"]:
            return "no_limit"
        full = [one for one in bearing if self._exceeded(one, subject, amount, now)]
        return "limit_exceeded" if full else None

    def _exceeded(self, one: Limit, subject: Subject, amount: int, now: datetime) -> bool:
        return any(
            self.total(one, value, now) + _worth(one, amount) > one.cap
            for value in _shared(one, subject, subject)
        )

    def total(self, one: Limit, value: str, now: datetime) -> int:
        """What counts under a limit for one scope value at a moment."""
        return sum(
            _worth(one, line.amount)
            for line in self.lines
            if line.amount
            and value in _named(one, line.subject)
            and one.currency in {None, line.subject.currency}
            and _together(one, line.at, now)
        )


def _worth(one: Limit, amount: int) -> int:
    return {"amount": amount, "count": 1}[one.measure.value]


def _named(one: Limit, subject: Subject) -> set[str]:
    if one.scope == "credential":
        return set(subject.credentials)
    named = getattr(subject, one.scope.value)
    return {named} - {None}


def _shared(one: Limit, subject: Subject, other: Subject) -> set[str]:
    both = _named(one, subject) & _named(one, other)
    return both if one.value is None else both & {one.value}


def _together(one: Limit, then: datetime, now: datetime) -> bool:
    """Whether two moments count in one window of a limit."""
    first, second = (at.astimezone(ZoneInfo(one.time_zone)).date() for at in (then, now))
    match one.window.value:
        case "lifetime":
            return True
        case "request":
            return False
        case "day":
            return first == second
        case "month":
            return (first.year, first.month) == (second.year, second.month)
        case _:
            return 0 <= (second - first).days < (one.window_days or 1)
