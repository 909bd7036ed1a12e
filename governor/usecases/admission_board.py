"""What a batch of admissions knows, what it has taken so far, and how it is recorded.

Everything a decision looks at is read set-based at the start and then kept here, where each admission
books what it takes, so that the next one in the batch sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import chain

from governor.domain.admission import (
    DUPLICATE_WINDOW,
    Ask,
    Decision,
    Denial,
    PaymentBook,
    Sibling,
)
from governor.domain.credentials import Credential
from governor.domain.freezes import Freeze
from governor.domain.lifecycle import State
from governor.domain.limits import Charge, CounterKey, Holder, Subject, Usage, charges_for
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest, shown_limits
from governor.domain.rules import Rule
from governor.ports.records import Surroundings
from governor.ports.store import Transaction
from governor.usecases.admission_told import alerts, decision_told
from governor.usecases.callers import Caller

HOLDERS_SHOWN = 5
"""How many holders a denial names per limit; the newest first."""


@dataclass(frozen=True, eq=False)
class Intent:
    """One request on its way to a decision: what is asked, by whom, under which key.

    `facts` are those just read from the provider for it; None hopes that young ones are known already.
    Two intents are never the same one, even if they ask the same: each gets its own answer.
    """

    caller: Caller
    ask: Ask
    key: str
    fingerprint: str
    expected_refundable: int | None
    facts: PaymentFacts | None = None

    def subject(self, facts: PaymentFacts) -> Subject:
        """The trusted values its limits are chosen by."""
        credential = self.caller.credential
        return Subject(
            environment=credential.environment,
            credentials=tuple(one.id for one in self.caller.chain),
            agent=credential.agent,
            customer=facts.customer,
            payment=facts.payment,
            case=self.ask.case,
            currency=facts.currency,
        )


@dataclass(frozen=True)
class FactsNeeded:
    """No decision yet: the provider must be read first, outside of any transaction."""


@dataclass(frozen=True)
class Decided:
    """One decision of the batch, with the request that will carry it."""

    intent: Intent
    decision: Decision
    request: RefundRequest


@dataclass
class Board:
    """What the batch knows and has taken so far."""

    known: dict[str, RefundRequest]
    chains: dict[str, tuple[Credential, ...]]
    payments: dict[str, tuple[PaymentFacts, PaymentBook]]
    siblings: dict[str, tuple[Sibling, ...]]
    charges: dict[Intent, tuple[Charge, ...]]
    """What each intent charges, with no amount yet; none for an intent whose facts are needed first."""
    usage: dict[CounterKey, Usage]
    freezes: tuple[Freeze, ...]
    rules: tuple[Rule, ...]
    refunded: frozenset[str]
    """The customers who have had a refund, as far as a rule asks."""
    any_expired: bool
    decided: list[Decided] = field(default_factory=list)
    holders: dict[CounterKey, tuple[Holder, ...]] = field(default_factory=dict)

    def is_first_refund(self, facts: PaymentFacts) -> bool | None:
        """Whether the payment's customer has had no refund before; None when it has no customer."""
        return None if facts.customer is None else facts.customer not in self.refunded


def read_board(tx: Transaction, intents: Sequence[Intent], max_age: timedelta) -> Board:
    """Read what all the intents look at, each kind of thing once."""
    found = tx.surroundings(
        {intent.key for intent in intents},
        {intent.caller.credential.id for intent in intents},
        {intent.ask.payment for intent in intents},
        tx.now - DUPLICATE_WINDOW,
    )
    limits, rules = tx.active_limits(), tx.active_rules()
    payments = _newest_facts(tx, intents, found, max_age)
    charges = {
        intent: charges_for(intent.subject(payments[intent.ask.payment][0]), 0, limits, tx.now)
        for intent in intents
        if intent.ask.payment in payments
    }
    return Board(
        known=found.known,
        chains=found.chains,
        payments=payments,
        siblings=found.siblings,
        charges=charges,
        usage=tx.usage(tx.here.name, chain.from_iterable(charges.values())),
        freezes=found.freezes,
        rules=rules,
        refunded=_refunded(tx, rules, (facts for facts, _ in payments.values())),
        any_expired=found.any_expired,
    )


def _refunded(tx: Transaction, rules: Sequence[Rule], payments: Iterable[PaymentFacts]) -> frozenset[str]:
    """Which of these payments' customers have had a refund; looked up only when a rule asks."""
    if all(rule.when.first_refund is None for rule in rules):
        return frozenset()
    return tx.refunded_customers({facts.customer for facts in payments if facts.customer is not None})


def _newest_facts(
    tx: Transaction,
    intents: Sequence[Intent],
    found: Surroundings,
    max_age: timedelta,
) -> dict[str, tuple[PaymentFacts, PaymentBook]]:
    """The youngest facts of each payment, at most `max_age` old unless they were just read for an intent."""
    known = found.payments
    fresh: dict[str, PaymentFacts] = {}
    for facts in (intent.facts for intent in intents if intent.facts is not None):
        other = fresh.get(facts.payment) or (known[facts.payment][0] if facts.payment in known else facts)
        fresh[facts.payment] = max(other, facts, key=lambda one: one.read_at)
    young = {payment: both for payment, both in known.items() if tx.now - both[0].read_at <= max_age}
    for payment, facts in fresh.items():
        young[payment] = (facts, found.book_of(payment))
    return young


def remember(board: Board, decided: Decided) -> None:
    """What the next ones in the batch must see of this decision."""
    request = decided.request
    board.known[decided.intent.key] = request
    board.decided.append(decided)
    if request.hold is None:
        return
    sibling = Sibling(request.id, request.state, request.amounts)
    board.siblings[request.payment] = (*board.siblings.get(request.payment, ()), sibling)
    for line in decided.decision.lines:
        holder = Holder(request.id, request.hold, line.charge.amount)
        board.holders[line.charge.key] = (holder, *board.holders.get(line.charge.key, ()))


def record(tx: Transaction, board: Board) -> dict[str, RefundRequest]:
    """Write the whole batch; returns the requests as recorded, by id."""
    named = _with_holders(tx, board)
    tx.add_requests([decided.request for decided in named])
    for decided in named:
        request = decided.request
        admitted = request.hold is not None
        tx.save_facts(board.payments[request.payment][0], reserve=request.amount_minor if admitted else 0)
        if admitted:
            tx.take(request.id, decided.decision.charges)
        if request.state is State.QUEUED:
            tx.enqueue([(request.id, tx.now)])
    told = [(decided.intent.caller, decided.request, decided.decision) for decided in named]
    tx.append_audit([decision_told(*one) for one in told])
    tx.append_audit([alert for one in told for alert in alerts(*one, tx.now)])
    return {decided.request.id: decided.request for decided in named}


def _with_holders(tx: Transaction, board: Board) -> list[Decided]:
    """Denials for want of room name who holds it."""
    full = {
        line.charge.key
        for decided in board.decided
        if decided.decision.denial is Denial.LIMIT_EXCEEDED
        for line in decided.decision.lines
        if not line.fits and line.charge.counted
    }
    if not full:
        return board.decided
    holders = tx.holders(tx.here.name, sorted(full), at_most=HOLDERS_SHOWN)
    for key in full:
        holders[key] = (*board.holders.get(key, ()), *holders[key])[:HOLDERS_SHOWN]
    return [_naming(decided, holders) for decided in board.decided]


def _naming(decided: Decided, holders: dict[CounterKey, tuple[Holder, ...]]) -> Decided:
    if decided.decision.denial is not Denial.LIMIT_EXCEEDED:
        return decided
    lines = tuple(
        replace(line, holders=holders.get(line.charge.key, ())) if not line.fits else line
        for line in decided.decision.lines
    )
    decision = replace(decided.decision, lines=lines)
    return Decided(decided.intent, decision, replace(decided.request, limits=shown_limits(decision.lines)))
