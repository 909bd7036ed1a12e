"""Past refunds asked for once more, under limits and rules that are only proposed. Nothing is written anywhere.

Each is decided by the same pure `decide` as in its day, over counters that are kept here. What it then became gives
room back when it did: a hold that was rejected, a refund that failed. What was denied and would go through now is
taken to have succeeded, since nobody knows.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from governor.domain.admission import Ask, Decision, PaymentBook, Situation, decide
from governor.domain.credentials import Kind
from governor.domain.lifecycle import State
from governor.domain.limits import Charge, CounterKey, Limit, Subject, Usage, charges_for
from governor.domain.payments import Dispute, PaymentFacts
from governor.domain.rules import Rule


class Verdict(StrEnum):
    """What a policy says of a refund."""

    LET_THROUGH = "let_through"
    HELD = "held"
    DENIED = "denied"


@dataclass(frozen=True)
class PastRefund:
    """One refund as it was asked for, and what became of it. Amount in minor units, times in UTC.

    `verdict` None: nobody asked for it (it was made elsewhere), so it only takes room. `released_at`: since when it
    takes none. What is not known is None: the uploaded ones know nothing of agents.
    """

    id: str
    at: datetime
    amount_minor: int
    currency: str
    payment: str | None
    customer: str | None
    reason: str | None
    verdict: Verdict | None
    credentials: tuple[str, ...] = ()
    agent: str | None = None
    case: str | None = None
    requester: Kind | None = None
    paid_at: datetime | None = None
    released_at: datetime | None = None


def verdict_of(decision: Decision) -> Verdict:
    """The verdict of a decision."""
    if decision.denial is not None:
        return Verdict.DENIED
    return Verdict.HELD if decision.state is State.PENDING_APPROVAL else Verdict.LET_THROUGH


@dataclass
class Replayed:
    """The counters as they go along with the past, oldest refund first, under one policy.

    `refunded`: customers who had a refund before the first of them.
    """

    environment: str
    limits: tuple[Limit, ...]
    rules: tuple[Rule, ...]
    refunded: set[str] = field(default_factory=set)
    _taken: dict[tuple[str, str], dict[datetime, int]] = field(default_factory=lambda: defaultdict(dict))
    _ends: list[tuple[datetime, str, tuple[Charge, ...]]] = field(default_factory=list)

    def next(self, past: PastRefund) -> Decision | None:
        """What the policy says of it, now that all before it has happened; None where nobody asks."""
        self._let_go(past.at)
        subject = Subject(
            self.environment,
            past.credentials,
            past.agent,
            past.customer,
            past.payment,
            past.case,
            past.currency,
        )
        charges = charges_for(subject, past.amount_minor, self.limits, past.at)
        decision = None if past.verdict is None else self._decide(past, charges)
        if decision is None or decision.denial is None:
            self._take(past, charges)
        return decision

    def _decide(self, past: PastRefund, charges: tuple[Charge, ...]) -> Decision:
        ask = Ask(past.payment or "", past.amount_minor, past.currency, past.reason, past.case, None, None)
        situation = Situation(
            facts=_facts(past),
            book=PaymentBook(),
            siblings=(),
            charges=charges,
            usage={charge.key: self._usage(charge) for charge in charges if charge.counted},
            now=past.at,
            rules=self.rules,
            requester=past.requester,
            first_refund=None if past.customer is None else past.customer not in self.refunded,
        )
        return decide(ask, past.amount_minor, situation)

    def _usage(self, charge: Charge) -> Usage:
        days = self._taken[charge.key.limit, charge.key.value]
        earlier = sum(taken for day, taken in days.items() if charge.span.since <= day < charge.span.start)
        return Usage(reserved=days.get(charge.key.window_start, 0), earlier=earlier)

    def _take(self, past: PastRefund, charges: tuple[Charge, ...]) -> None:
        counted = tuple(charge for charge in charges if charge.counted)
        for charge in counted:
            self._add(charge.key, charge.amount)
        if past.released_at is not None:
            heapq.heappush(self._ends, (past.released_at, past.id, counted))
        elif past.customer is not None:
            self.refunded.add(past.customer)

    def _let_go(self, now: datetime) -> None:
        while self._ends and self._ends[0][0] <= now:
            for charge in heapq.heappop(self._ends)[2]:
                self._add(charge.key, -charge.amount)

    def _add(self, key: CounterKey, amount: int) -> None:
        days = self._taken[key.limit, key.value]
        days[key.window_start] = days.get(key.window_start, 0) + amount


def _facts(past: PastRefund) -> PaymentFacts:
    """A payment that gives what is asked: whether it could is no question of policy."""
    return PaymentFacts(
        payment=past.payment or "",
        account="",
        currency=past.currency,
        captured_minor=past.amount_minor,
        customer=past.customer,
        livemode=False,
        refundable_status=True,
        dispute=Dispute.NONE,
        charge=None,
        refunds=(),
        read_at=past.at,
        paid_at=past.paid_at,
    )
