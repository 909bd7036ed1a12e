"""The one decision: may this refund take capacity on everything it charges, now?

Pure: the caller has locked the counters and hands in what it read. Every reason of a denial is here, in
the order in which it is looked for, with what the caller can do about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from governor.domain.credentials import Kind
from governor.domain.late_limits import any_amount
from governor.domain.lifecycle import State
from governor.domain.limit_lines import LimitLine, line_of
from governor.domain.limits import Charge, CounterKey, Usage
from governor.domain.payments import Dispute, PaymentFacts
from governor.domain.quorum import Need
from governor.domain.rule_firing import Circumstances, Fired, fired_rules
from governor.domain.rules import Rule, RuleEffect


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
class Decision:
    """The answer to one request. `denial` None means admitted into `state` with all `lines` and `tallies` taken."""

    state: State
    amount_minor: int
    lines: tuple[LimitLine, ...]
    tallies: tuple[LimitLine, ...] = ()
    """What only rules read: it has no cap, and is nobody's arithmetic."""
    rules: tuple[Fired, ...] = ()
    """The rules that fired, those in dry run too."""
    needs: tuple[Need, ...] = ()
    """Whose approval is asked for; nobody's when empty."""
    denial: Denial | None = None
    next_action: NextAction = NextAction.NONE
    next_action_at: datetime | None = None
    duplicate_of: str | None = None
    refundable_minor: int | None = None
    approval_limit: str | None = None
    would_deny: Denial | None = None
    """In observe mode: the denial that enforcing would have given."""

    @property
    def charges(self) -> tuple[Charge, ...]:
        """Everything that an admission takes."""
        return tuple(line.charge for line in (*self.lines, *self.tallies))


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
    rules: tuple[Rule, ...] = ()
    requester: Kind | None = Kind.PROGRAM
    first_refund: bool | None = None
    """Whether the customer has had no refund before; None: there is no customer, or no rule asks."""
    observe: bool = False
    duplicate_allowed: bool = False
    """Whether a human repeats deliberately; what is repeated must be named all the same."""


def decide(ask: Ask, amount_minor: int, situation: Situation) -> Decision:
    """Decide one request. Nothing is changed; `take` books what an admission takes.

    `amount_minor` is the asked amount, or what remained of the payment when "remaining" was asked.
    """
    charged = tuple(line_of(charge, situation.usage) for charge in situation.charges)
    lines = tuple(line for line in charged if not line.charge.limit.tally)
    tallies = tuple(line for line in charged if line.charge.limit.tally)
    paid_at, requester, first = situation.facts.paid_at, situation.requester, situation.first_refund
    rules = fired_rules(
        situation.rules,
        Circumstances(
            amount_minor, ask.currency, ask.reason, paid_at, requester, first, tallies, situation.now
        ),
    )
    asking = next((line.charge.limit.id for line in lines if line.asks_approval), None)
    looked_at = Decision(
        State.QUEUED, amount_minor, lines, tallies, rules, _needs(asking, rules), approval_limit=asking
    )
    denial = _denial(ask, situation, looked_at)
    if denial is not None and not (situation.observe and denial in _OBSERVABLE):
        return _denied(denial, situation, looked_at)
    waits = bool(looked_at.needs) and not situation.observe
    return replace(
        looked_at,
        state=State.PENDING_APPROVAL if waits else State.QUEUED,
        next_action=NextAction.ASK_APPROVER if waits else NextAction.WAIT,
        would_deny=denial,
    )


def _needs(asking: str | None, rules: tuple[Fired, ...]) -> tuple[Need, ...]:
    """Whom a limit's threshold and the rules ask, each for itself."""
    of_limit = () if asking is None else (Need(1, None, asking),)
    return (*of_limit, *(one.need for one in rules if one.acts and one.effect is RuleEffect.APPROVAL))


_OBSERVABLE = frozenset({Denial.NO_LIMIT, Denial.LIMIT_EXCEEDED, Denial.POLICY_DENIED})
"""Observe mode lets through what our own rules refuse, never what the payment itself cannot give."""


def _denial(ask: Ask, situation: Situation, looked_at: Decision) -> Denial | None:
    facts, amount, lines = situation.facts, looked_at.amount_minor, looked_at.lines
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
    return Denial.POLICY_DENIED if _refusing(looked_at) else None


def _twins(amount: int, situation: Situation) -> list[str]:
    """The siblings that ask for the same amount (a payment has one currency)."""
    return [one.id for one in situation.siblings if amount in one.amounts]


def _refusing(looked_at: Decision) -> list[Fired]:
    return [one for one in looked_at.rules if one.acts and one.effect is RuleEffect.DENY]


def _denied(denial: Denial, situation: Situation, looked_at: Decision) -> Decision:
    action, at = _next_action(denial, situation, looked_at)
    twins = _twins(looked_at.amount_minor, situation)
    return replace(
        looked_at,
        state=State.DENIED,
        denial=denial,
        next_action=action,
        next_action_at=at,
        duplicate_of=twins[0] if denial is Denial.POSSIBLE_DUPLICATE else None,
        refundable_minor=situation.book.remaining(situation.facts.captured_minor),
        needs=(),
        approval_limit=None,
    )


def _next_action(
    denial: Denial, situation: Situation, looked_at: Decision
) -> tuple[NextAction, datetime | None]:
    """What the caller can do: a total function over the reasons (LAYOUT, "what to absorb", 7)."""
    if denial is Denial.LIMIT_EXCEEDED:
        return _past([line for line in looked_at.lines if not line.fits])
    if denial is Denial.POLICY_DENIED:
        return _past(_refusing(looked_at))
    remaining = situation.book.remaining(situation.facts.captured_minor)
    less = denial is Denial.AMOUNT_EXCEEDS_REFUNDABLE and remaining > 0
    return NextAction.USE_SMALLER_AMOUNT if less else NextAction.DO_NOT_RETRY, None


def _past(in_the_way: Sequence[LimitLine | Fired]) -> tuple[NextAction, datetime | None]:
    """Wait, if each of them starts over and then lets this through; else ask for less, if that can help."""
    ends = [one.frees_at for one in in_the_way if one.frees_at is not None]
    if len(ends) == len(in_the_way):
        return NextAction.WAIT_UNTIL, max(ends)
    less = all(one.frees_at is not None or one.gives_less for one in in_the_way)
    return NextAction.USE_SMALLER_AMOUNT if less else NextAction.DO_NOT_RETRY, None


def take(decision: Decision, situation: Situation) -> None:
    """Book an admission: its amount on every counter and on the payment, all of them or (denied) none."""
    if decision.state is State.DENIED:
        return
    for charge in decision.charges:
        if charge.counted:
            situation.usage[charge.key].reserved += charge.amount
    situation.book.reserved += decision.amount_minor
