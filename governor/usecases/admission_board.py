"""What a batch of admissions knows, what it has taken so far, and how it is recorded.

Everything a decision looks at is read set-based at the start and then kept here, where each admission
books what it takes, so that the next one in the batch sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from governor.domain.admission import (
    DUPLICATE_WINDOW,
    Ask,
    Decision,
    Denial,
    PaymentBook,
    Sibling,
)
from governor.domain.audit import Entry
from governor.domain.credentials import Credential
from governor.domain.lifecycle import State
from governor.domain.limits import CounterKey, Holder, Limit, Subject, Usage, charges_for
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest, shown_limits
from governor.ports.store import Transaction
from governor.usecases.callers import Caller

HOLDERS_SHOWN = 5
"""How many holders a denial names per limit; the newest first."""


@dataclass(frozen=True)
class Intent:
    """One request on its way to a decision: what is asked, by whom, under which key, with which facts."""

    caller: Caller
    ask: Ask
    key: str
    fingerprint: str
    facts: PaymentFacts
    expected_refundable: int | None

    @property
    def subject(self) -> Subject:
        """The trusted values its limits are chosen by."""
        credential = self.caller.credential
        return Subject(
            environment=credential.environment,
            credentials=tuple(one.id for one in self.caller.chain),
            agent=credential.agent,
            customer=self.facts.customer,
            payment=self.facts.payment,
            case=self.ask.case,
            currency=self.facts.currency,
        )


@dataclass(frozen=True)
class Decided:
    """One decision of the batch, with the request that will carry it."""

    intent: Intent
    decision: Decision
    request: RefundRequest


@dataclass
class Board:
    """What the batch knows and has taken so far."""

    limits: tuple[Limit, ...]
    known: dict[str, RefundRequest]
    chains: dict[str, tuple[Credential, ...]]
    payments: dict[str, tuple[PaymentFacts, PaymentBook]]
    siblings: dict[str, tuple[Sibling, ...]]
    usage: dict[CounterKey, Usage]
    decided: list[Decided] = field(default_factory=list)
    holders: dict[CounterKey, tuple[Holder, ...]] = field(default_factory=dict)


def read_board(tx: Transaction, intents: Sequence[Intent]) -> Board:
    """Read what all the intents look at, each kind of thing once."""
    limits = tx.limits(tx.here.name)
    charges = [charge for one in intents for charge in charges_for(one.subject, 0, limits, tx.now)]
    payments = {intent.ask.payment for intent in intents}
    return Board(
        limits=limits,
        known=tx.requests_by_keys({intent.key for intent in intents}),
        chains=tx.credential_chains(tx.here.name, {intent.caller.credential.id for intent in intents}),
        payments=_newest_facts(tx, intents),
        siblings=tx.siblings(tx.here.name, payments, tx.now - DUPLICATE_WINDOW),
        usage=tx.usage(tx.here.name, charges),
    )


def _newest_facts(tx: Transaction, intents: Sequence[Intent]) -> dict[str, tuple[PaymentFacts, PaymentBook]]:
    """The youngest facts of each payment. What others refunded elsewhere is counted anew from fresh ones."""
    known = tx.payments({intent.ask.payment for intent in intents})
    fresh: dict[str, PaymentFacts] = {}
    for facts in (intent.facts for intent in intents):
        newest = fresh.get(facts.payment) or (known[facts.payment][0] if facts.payment in known else None)
        if newest is None or newest.read_at < facts.read_at:
            fresh[facts.payment] = facts
    named = {refund.request_id for facts in fresh.values() for refund in facts.refunds if refund.request_id}
    ours = tx.committed(tx.here.name, named)
    for payment, facts in fresh.items():
        book = known[payment][1] if payment in known else PaymentBook()
        known[payment] = (facts, replace(book, external=facts.external_minor(ours)))
    return known


def remember(board: Board, decided: Decided) -> None:
    """What the next ones in the batch must see of this decision."""
    request = decided.request
    board.known[decided.intent.key] = request
    board.decided.append(decided)
    if request.hold is None:
        return
    sibling = Sibling(request.id, request.state, request.amount_minor)
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
        facts, book = board.payments[request.payment]
        admitted = request.hold is not None
        tx.save_facts(facts, book, reserve=request.amount_minor if admitted else 0)
        if admitted:
            tx.take(request.id, [line.charge for line in decided.decision.lines])
        if request.state is State.QUEUED:
            tx.enqueue([(request.id, tx.now)])
    tx.append_audit([_entry(decided) for decided in named])
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


def _entry(decided: Decided) -> Entry:
    """The audit row of a decision: no note, which may hold what a customer wrote."""
    request = decided.request
    facts = {
        "payment": request.payment,
        "amount": request.amount_minor,
        "currency": request.currency,
        "state": request.state.value,
        "denial": request.denial.value if request.denial else None,
        "fingerprint": request.fingerprint,
        "limits": [
            {name: shown[name] for name in ("limit", "value", "cap", "settled", "reserved", "requested")}
            for shown in request.limits
        ],
    }
    action = "refund_request.denied" if request.denial else "refund_request.admitted"
    return Entry(request.requested_by, action, request.id, facts)
