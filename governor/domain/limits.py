"""Limits and exposure: an operator's cap, the counters under it, and their arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from governor.domain.windows import Span, WindowKind, span_at


class Scope(StrEnum):
    """Whose refunds a limit counts together. Values come from trusted facts, never from spelling."""

    ENVIRONMENT = "environment"
    CREDENTIAL = "credential"
    AGENT = "agent"
    CUSTOMER = "customer"
    PAYMENT = "payment"
    CASE = "case"


class Measure(StrEnum):
    """What a limit adds up: minor units of one currency, or the number of refund requests."""

    AMOUNT = "amount"
    COUNT = "count"


@dataclass(frozen=True)
class Step:
    """What a limit allows from `effective_at` on, before `until` (UTC; None: for good), as the change of that id says.

    `raised_by`: the people who said it, if it allows more than was allowed before.
    """

    change: str
    cap: int
    approval_above: int | None
    effective_at: datetime
    until: datetime | None
    raised_by: tuple[str, ...] = ()

    def in_force(self, now: datetime) -> bool:
        """Whether it has begun and is not over."""
        return self.effective_at <= now and (self.until is None or now < self.until)


def step_at(steps: Sequence[Step], now: datetime) -> Step | None:
    """The step that counts at `now`: the one that began last. They come in the order in which they begin."""
    return next((step for step in reversed(steps) if step.in_force(now)), None)


def next_turn(steps: Iterable[Step], now: datetime) -> datetime | None:
    """When next after `now` a step begins or ends; None when none ever does."""
    turns = (at for step in steps for at in (step.effective_at, step.until) if at is not None and at > now)
    return min(turns, default=None)


NO_CAP = 2**53 - 1
"""What a tally, which has no cap, never reaches: the largest integer that every JSON reader keeps exactly."""


@dataclass(frozen=True)
class Limit:
    """An operator's cap. `value` None: every scope value has its own counter; else only that value counts.

    `cap` and `approval_above` are minor units of `currency` for AMOUNT, a number of requests for COUNT: what counts at
    the moment at which the limit was read, as the change of the id `change` says. `steps` say what counts from then on
    (governor.domain.limit_changes).
    """

    id: str
    scope: Scope
    value: str | None
    measure: Measure
    currency: str | None
    window: WindowKind
    window_days: int | None
    time_zone: str
    cap: int
    approval_above: int | None
    revision: int
    archived: bool = False
    tally: bool = False
    """Whether it only counts, for the rules that read it: it denies nobody and is no limit to people."""
    change: str | None = None
    steps: tuple[Step, ...] = ()

    def at(self, now: datetime) -> Limit:
        """The limit with what counts at `now`."""
        step = step_at(self.steps, now)
        if step is None:
            return self
        return replace(self, cap=step.cap, approval_above=step.approval_above, change=step.change)

    def for_good(self, now: datetime) -> Limit:
        """The limit with what would count at `now` if nothing were said for a time only."""
        return replace(self, steps=tuple(step for step in self.steps if step.until is None)).at(now)

    def turn(self, now: datetime) -> tuple[datetime, Limit] | None:
        """When next after `now` something else counts by itself, and the limit as it counts then; None when never."""
        stands = (self.cap, self.approval_above)
        turns = ((at, one) for at, one in self.turns(now) if (one.cap, one.approval_above) != stands)
        return next(turns, None)

    def turns(self, now: datetime) -> Iterator[tuple[datetime, Limit]]:
        """Every moment after `now` at which a step begins or ends (UTC), and the limit as it counts then."""
        at = next_turn(self.steps, now)
        while at is not None:
            yield at, self.at(at)
            at = next_turn(self.steps, at)

    def raised_by(self, person: str, since: datetime, now: datetime) -> bool:
        """Whether what counts at `now` is a raise that this person has said since then."""
        step = step_at(self.steps, now)
        return step is not None and person in step.raised_by and step.effective_at >= since

    def applies_to(self, subject: Subject) -> bool:
        """Whether a request of this subject charges this limit."""
        if self.archived or (self.currency is not None and self.currency != subject.currency):
            return False
        scope_values = subject.values(self.scope)
        return bool(scope_values) and (self.value is None or self.value in scope_values)

    def charge(self, amount_minor: int) -> int:
        """How much one request of that amount takes of this limit."""
        return amount_minor if self.measure is Measure.AMOUNT else 1

    def span_at(self, now: datetime) -> Span:
        """The window that a request admitted at `now` (UTC) is booked into."""
        return span_at(self.window, self.time_zone, self.window_days, now)


@dataclass(frozen=True)
class Subject:
    """Who and what a refund is about: the trusted values its limits are chosen by.

    A refund made elsewhere has no agent and no credentials, and perhaps no payment. `credentials` is the caller's credential first, then its ancestors: children charge every ancestor's
    scope (invariant 13).
    """

    environment: str
    credentials: tuple[str, ...]
    agent: str | None
    customer: str | None
    payment: str | None
    case: str | None
    currency: str

    def values(self, scope: Scope) -> tuple[str, ...]:
        """The counters' values for one scope; empty where the request has none."""
        if scope is Scope.CREDENTIAL:
            return self.credentials
        # Every other scope is spelled like the field that holds its one value.
        value: str | None = getattr(self, scope)
        return () if value is None else (value,)


@dataclass(frozen=True, order=True)
class CounterKey:
    """Names one counter: one limit, one scope value, one window. Sorted order is the one lock order."""

    limit: str
    value: str
    window_start: datetime


@dataclass(frozen=True)
class Holder:
    """Who holds how much of a counter's capacity."""

    request: str
    hold: str
    amount: int


@dataclass
class Usage:
    """What a counter holds while a decision is being taken. Amounts as the limit's measure says."""

    reserved: int = 0
    settled: int = 0
    earlier: int = 0
    """Exposure of the earlier days of a rolling window, which this window counts too."""

    @property
    def exposure(self) -> int:
        """Everything taken of the cap: earlier days, settled and reserved."""
        return self.earlier + self.settled + self.reserved


@dataclass(frozen=True)
class Charge:
    """One limit that applies to a request, with the counter it charges and by how much."""

    limit: Limit
    key: CounterKey
    span: Span
    amount: int
    narrows: bool = False
    """Whether it is a cap of a child's own: that only narrows what the root of its chain may, and permits nothing."""

    @property
    def counted(self) -> bool:
        """Whether it occupies a counter: a `request` window judges each request by itself."""
        return self.limit.window is not WindowKind.REQUEST

    def of(self, amount_minor: int) -> Charge:
        """The same limit and counter, charged by another amount."""
        return replace(self, amount=self.limit.charge(amount_minor))


def charges_for(
    subject: Subject, amount_minor: int, limits: tuple[Limit, ...], now: datetime
) -> tuple[Charge, ...]:
    """Every counter this request must take, in the one fixed order."""
    found = [
        Charge(
            limit,
            CounterKey(limit.id, value, span.start),
            span,
            limit.charge(amount_minor),
            narrows=limit.scope is Scope.CREDENTIAL and value in subject.credentials[:-1],
        )
        for limit in limits
        if limit.applies_to(subject)
        for span in (limit.span_at(now),)
        for value in subject.values(limit.scope)
        if limit.value in {None, value}
    ]
    return tuple(sorted(found, key=lambda charge: charge.key))
