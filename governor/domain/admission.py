"""The one decision: may this refund take capacity on everything it charges, now?

Pure: the caller has locked the counters and hands in what it read. Every reason of a denial is here, in
the order in which it is looked for, with what the caller can do about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from governor.domain.late_limits import any_amount
from governor.domain.lifecycle import State
from governor.domain.limits import Charge, CounterKey, Holder, Measure, Usage
from governor.domain.payments import Dispute, PaymentFacts


class NextAction(StrEnum):
    """What a caller can do after an answer. Total over all reasons: nobody is left guessing."""

    WAIT_UNTIL = "wait_until"
    ASK_APPROVER = "ask_approver"
    ANSWER_QUESTION = "answer_question"
    DO_NOT_RETRY = "do_not_retry"
    USE_SMALLER_AMOUNT = "use_smaller_amount"
    WAIT = "wait"
    DO_NOT_RETRY_WITH_NEW_KEY = "do_not_retry_with_new_key"
    NONE = "none"


class Denial(StrEnum):
    """Why a request is denied, in the order in which the reasons are looked for."""

    PAYMENT_NOT_REFUNDABLE = "payment_not_refundable"
    PAYMENT_DISPUTED = "payment_disputed"
    POSSIBLE_DUPLICATE = "possible_duplicate"
    AMOUNT_EXCEEDS_REFUNDABLE = "amount_exceeds_refundable"
    NO_LIMIT = "no_limit"
    LIMIT_EXCEEDED = "limit_exceeded"
    POLICY_DENIED = "policy_denied"


@dataclass(frozen=True)
class Ask:
    """What a caller asks for. `amount_minor` None means "remaining", frozen to a number by the decision."""

    payment: str
    amount_minor: int | None
    currency: str
    reason: str | None
    case: str | None
    note: str | None
    duplicate_of: str | None


@dataclass
class PaymentBook:
    """What governor itself has taken of a payment, and what others took elsewhere. Minor units."""

    reserved: int = 0
    settled: int = 0
    external: int = 0

    def remaining(self, captured_minor: int) -> int:
        """What may still be refunded: never below zero."""
        return max(0, captured_minor - self.reserved - self.settled - self.external)


@dataclass(frozen=True)
class Sibling:
    """Another request for the same payment that is open, or succeeded moments ago. `amounts`: asked and allowed."""

    id: str
    state: State
    amounts: frozenset[int]


@dataclass(frozen=True)
class LimitLine:
    """The arithmetic of one limit as it was when the decision was taken."""

    charge: Charge
    settled: int
    reserved: int
    holders: tuple[Holder, ...] = ()

    @property
    def headroom(self) -> int:
        """Negative after a cap was lowered below the exposure."""
        return self.charge.limit.cap - self.settled - self.reserved

    @property
    def fits(self) -> bool:
        """Whether the request fits under this limit."""
        return self.charge.amount <= self.headroom

    @property
    def frees_at(self) -> datetime | None:
        """When the window starts over, if the same request fits into an empty one."""
        return self.charge.span.end if self.charge.amount <= self.charge.limit.cap else None

    @property
    def gives_less(self) -> bool:
        """Whether a smaller amount fits, now or once the window starts over."""
        widest = self.headroom if self.charge.span.end is None else self.charge.limit.cap
        return self.charge.limit.measure is Measure.AMOUNT and widest > 0


@dataclass(frozen=True)
class Decision:
    """The answer to one request. `denial` None means admitted into `state` with all `lines` taken."""

    state: State
    amount_minor: int
    lines: tuple[LimitLine, ...]
    denial: Denial | None = None
    next_action: NextAction = NextAction.NONE
    next_action_at: datetime | None = None
    duplicate_of: str | None = None
    refundable_minor: int | None = None
    approval_limit: str | None = None
    would_deny: Denial | None = None
    """In observe mode: the denial that enforcing would have given."""


DUPLICATE_WINDOW = timedelta(minutes=10)
"""A second refund of the same payment, amount and currency this soon after a success needs a human."""


@dataclass(frozen=True)
class Situation:
    """Everything the decision looks at, read under the locks of its transaction."""

    facts: PaymentFacts
    book: PaymentBook
    siblings: Sequence[Sibling]
    """Those of this payment; the ones of the same amount make a request a possible duplicate."""
    charges: tuple[Charge, ...]
    usage: Mapping[CounterKey, Usage]
    now: datetime
    observe: bool = False
    duplicate_allowed: bool = False
    """Whether a human repeats deliberately; what is repeated must be named all the same."""


def decide(ask: Ask, amount_minor: int, situation: Situation) -> Decision:
    """Decide one request. Nothing is changed; `take` books what an admission takes.

    `amount_minor` is the asked amount, or what remained of the payment when "remaining" was asked.
    """
    lines = tuple(line_of(charge, situation.usage) for charge in situation.charges)
    denial = _denial(ask, amount_minor, situation, lines)
    if denial is not None and not (situation.observe and denial in _OBSERVABLE):
        return _denied(denial, amount_minor, situation, lines)
    asking = _first_asking_approval(lines)
    waits = asking is not None and not situation.observe
    return Decision(
        State.PENDING_APPROVAL if waits else State.QUEUED,
        amount_minor,
        lines,
        next_action=NextAction.ASK_APPROVER if waits else NextAction.WAIT,
        approval_limit=asking,
        would_deny=denial,
    )


_OBSERVABLE = frozenset({Denial.NO_LIMIT, Denial.LIMIT_EXCEEDED, Denial.POLICY_DENIED})
"""Observe mode lets through what our own rules refuse, never what the payment itself cannot give."""


def _denial(ask: Ask, amount: int, situation: Situation, lines: tuple[LimitLine, ...]) -> Denial | None:
    facts = situation.facts
    if not facts.refundable_status:
        return Denial.PAYMENT_NOT_REFUNDABLE
    if facts.dispute in {Dispute.OPEN, Dispute.LOST}:
        return Denial.PAYMENT_DISPUTED
    twins = _twins(amount, situation)
    if twins and not (situation.duplicate_allowed and ask.duplicate_of in twins):
        return Denial.POSSIBLE_DUPLICATE
    if amount < 1 or amount > situation.book.remaining(facts.captured_minor):
        return Denial.AMOUNT_EXCEEDS_REFUNDABLE
    if not any_amount(line.charge for line in lines):
        return Denial.NO_LIMIT
    if not all(line.fits for line in lines):
        return Denial.LIMIT_EXCEEDED
    return None


def _twins(amount: int, situation: Situation) -> list[str]:
    """The siblings that ask for the same amount (a payment has one currency)."""
    return [one.id for one in situation.siblings if amount in one.amounts]


def _denied(denial: Denial, amount: int, situation: Situation, lines: tuple[LimitLine, ...]) -> Decision:
    action, at = _next_action(denial, lines, situation)
    return Decision(
        State.DENIED,
        amount,
        lines,
        denial=denial,
        next_action=action,
        next_action_at=at,
        duplicate_of=_twins(amount, situation)[0] if denial is Denial.POSSIBLE_DUPLICATE else None,
        refundable_minor=situation.book.remaining(situation.facts.captured_minor),
    )


def _next_action(
    denial: Denial, lines: tuple[LimitLine, ...], situation: Situation
) -> tuple[NextAction, datetime | None]:
    """What the caller can do: a total function over the reasons (LAYOUT, "what to absorb", 7)."""
    if denial is Denial.LIMIT_EXCEEDED:
        return _after_limit(lines)
    remaining = situation.book.remaining(situation.facts.captured_minor)
    less = denial is Denial.AMOUNT_EXCEEDS_REFUNDABLE and remaining > 0
    return NextAction.USE_SMALLER_AMOUNT if less else NextAction.DO_NOT_RETRY, None


def _after_limit(lines: tuple[LimitLine, ...]) -> tuple[NextAction, datetime | None]:
    """Wait, if every full window starts over and is then wide enough; else ask for less, if that can help."""
    full = [line for line in lines if not line.fits]
    ends = [line.frees_at for line in full if line.frees_at is not None]
    if len(ends) == len(full):
        return NextAction.WAIT_UNTIL, max(ends)
    less = all(line.frees_at is not None or line.gives_less for line in full)
    return NextAction.USE_SMALLER_AMOUNT if less else NextAction.DO_NOT_RETRY, None


def line_of(charge: Charge, counters: Mapping[CounterKey, Usage]) -> LimitLine:
    """The arithmetic of one charge over its counter."""
    usage = counters[charge.key] if charge.counted else Usage()
    return LimitLine(charge, settled=usage.settled + usage.earlier, reserved=usage.reserved)


def _first_asking_approval(lines: tuple[LimitLine, ...]) -> str | None:
    """The limit whose `approval_above` this request passes, if any."""
    asking = (line.charge for line in lines if line.charge.limit.approval_above is not None)
    return next((one.limit.id for one in asking if one.amount > (one.limit.approval_above or 0)), None)


def take(decision: Decision, situation: Situation) -> None:
    """Book an admission: its amount on every counter and on the payment, all of them or (denied) none."""
    if decision.state is State.DENIED:
        return
    for line in decision.lines:
        if line.charge.counted:
            situation.usage[line.charge.key].reserved += line.charge.amount
    situation.book.reserved += decision.amount_minor
