"""What a simulation found, as every surface shows it."""

from __future__ import annotations

from typing import Any

from governor.api.output import Output, Time
from governor.api.shown_requests import LimitLineOut
from governor.api.shown_rules import FiredRuleOut
from governor.domain.replay_of_past import Verdict
from governor.domain.simulation import Example, Heap, Simulation


class HeapOut(Output):
    """So many refunds, and how much they are: minor units by currency."""

    count: int
    sums: dict[str, int]


class VerdictSumsOut(Output):
    """How many got this verdict then (`before`), and would get it under what was tried (`after`)."""

    verdict: str
    before: HeapOut
    after: HeapOut


class ChangeOut(HeapOut):
    """What would have changed: refunds that got one verdict and would get another."""

    before: str
    after: str


class FiringOut(Output):
    """How often a rule of this name fired."""

    rule: str
    fired: int


class DayOut(Output):
    """One day in UTC: how many got each verdict then, and would get it."""

    day: str
    before: dict[str, int]
    after: dict[str, int]


class ExampleOut(Output):
    """One refund that would have gone otherwise, and why: the limits without room or that ask, the rules that fired."""

    id: str
    at: Time
    amount: int
    currency: str
    payment: str | None
    customer: str | None
    agent: str | None
    before: str
    after: str
    denial: str | None
    limits: list[LimitLineOut]
    rules: list[FiredRuleOut]


class SimulationOut(Output):
    """What another policy would have made of the past. Nothing was written.

    Counters begin empty with the first refund that is replayed. `set_aside`: requests that the payment itself could not
    give. `elsewhere`: refunds made elsewhere, which take room only. `is_whole` false: the oldest were left out, since
    no more are replayed at once.
    """

    since: Time | None
    until: Time | None
    asked: int
    elsewhere: int
    set_aside: int
    is_whole: bool
    verdicts: list[VerdictSumsOut]
    changes: list[ChangeOut]
    fired: list[FiringOut]
    days: list[DayOut]
    examples: list[ExampleOut]


def shown_simulation(found: Simulation) -> dict[str, Any]:
    """The report, all of it."""
    return SimulationOut(
        since=found.since,
        until=found.until,
        asked=found.asked,
        elsewhere=found.elsewhere,
        set_aside=found.set_aside,
        is_whole=found.is_whole,
        verdicts=[
            VerdictSumsOut(verdict=one, before=_heap(found.before[one]), after=_heap(found.after[one]))
            for one in Verdict
        ],
        changes=[
            ChangeOut(before=before, after=after, **vars(_heap(heap)))
            for (before, after), heap in sorted(found.changes.items())
        ],
        fired=[FiringOut(rule=name, fired=times) for name, times in sorted(found.fired.items())],
        days=[
            DayOut(
                day=day.isoformat(),
                **{when: {one: counts[one] for one in Verdict} for when, counts in both.items()},
            )
            for day, both in found.days.items()
        ],
        examples=[_example(one) for one in found.examples],
    ).model_dump(mode="json")


def _heap(heap: Heap) -> HeapOut:
    return HeapOut(count=heap.count, sums=dict(sorted(heap.sums.items())))


def _example(one: Example) -> ExampleOut:
    past = one.past
    return ExampleOut(
        id=past.id,
        at=past.at,
        amount=past.amount_minor,
        currency=past.currency,
        payment=past.payment,
        customer=past.customer,
        agent=past.agent,
        before=one.before,
        after=one.after,
        **one.why,
    )
