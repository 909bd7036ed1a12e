from typing import Any

import pytest

from governor.domain.admission import (
    Decision,
    Denial,
    NextAction,
    PaymentBook,
    Sibling,
    Situation,
    decide,
    take,
)
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Measure, Scope, Usage
from governor.domain.payments import Dispute
from governor.domain.rules import RuleEffect
from governor.domain.windows import WindowKind
from tests.unit.values import FACTS, ask, limit, replaced, rule, situation


def sibling(request: str, amount: int, state: State = State.QUEUED) -> Sibling:
    """Another request of the payment."""
    return Sibling(request, state, frozenset({amount}))


OPEN_TWIN = sibling("rr_7", 100)


def _decided(amount: int, *limits: Limit, duplicate_of: str | None = None, **fields: Any) -> Decision:
    return decide(ask(amount, duplicate_of=duplicate_of), amount, situation(amount, *limits, **fields))


#   denial                             a situation in which it is the answer to 100 usd          what to do next
DENIALS: dict[Denial, tuple[Situation, NextAction]] = {
    Denial.PAYMENT_NOT_REFUNDABLE: (
        situation(100, limit(), facts=replaced(FACTS, refundable_status=False)),
        NextAction.DO_NOT_RETRY,
    ),
    Denial.PAYMENT_DISPUTED: (
        situation(100, limit(), facts=replaced(FACTS, dispute=Dispute.OPEN)),
        NextAction.DO_NOT_RETRY,
    ),
    Denial.POSSIBLE_DUPLICATE: (situation(100, limit(), siblings=(OPEN_TWIN,)), NextAction.DO_NOT_RETRY),
    Denial.AMOUNT_EXCEEDS_REFUNDABLE: (
        situation(100, limit(), book=PaymentBook(settled=9_901)),
        NextAction.USE_SMALLER_AMOUNT,
    ),
    Denial.NO_LIMIT: (situation(100), NextAction.DO_NOT_RETRY),
    Denial.LIMIT_EXCEEDED: (situation(100, limit(cap=199), usage=Usage(settled=100)), NextAction.WAIT_UNTIL),
    Denial.POLICY_DENIED: (situation(100, limit(), rules=(rule(RuleEffect.DENY),)), NextAction.DO_NOT_RETRY),
}


def test_every_denial_has_its_situation() -> None:
    assert set(DENIALS) == set(Denial)


@pytest.mark.parametrize("denial", DENIALS)
def test_each_reason_of_a_denial(denial: Denial) -> None:
    around, action = DENIALS[denial]
    decision = decide(ask(100), 100, around)
    assert (decision.state, decision.denial, decision.next_action) == (State.DENIED, denial, action)
    assert decision.refundable_minor == around.book.remaining(FACTS.captured_minor)
    assert len(decision.lines) == len(around.charges), "every limit is in the arithmetic"
    assert (decision.duplicate_of == "rr_7") is (denial is Denial.POSSIBLE_DUPLICATE)
    assert (decision.next_action_at is None) is (action is not NextAction.WAIT_UNTIL)


def test_the_reasons_are_looked_for_in_the_order_in_which_they_are_listed() -> None:
    everything: dict[str, Any] = {
        "facts": replaced(FACTS, refundable_status=False, dispute=Dispute.LOST),
        "siblings": (sibling("rr_7", 20_000),),
        "rules": (rule(RuleEffect.DENY),),
    }
    found = []
    cures: tuple[dict[str, Any], ...] = (
        {},
        {"facts": replaced(FACTS, dispute=Dispute.LOST)},
        {"facts": FACTS},
        {"siblings": ()},
        {"facts": replaced(FACTS, captured_minor=20_000)},
    )
    for cure in cures:
        everything |= cure
        found.append(_decided(20_000, **everything).denial)
    found += [_decided(20_000, limit(cap=cap), **everything).denial for cap in (1000, 20_000)]
    assert found == list(Denial)


@pytest.mark.parametrize(
    ("dispute", "denied"),
    [
        (Dispute.NONE, False),
        (Dispute.INQUIRY, False),
        (Dispute.WON, False),
        (Dispute.OPEN, True),
        (Dispute.LOST, True),
    ],
)
def test_only_an_open_or_lost_dispute_stands_in_the_way(dispute: Dispute, denied: bool) -> None:
    decision = _decided(100, limit(), facts=replaced(FACTS, dispute=dispute))
    assert (decision.denial is Denial.PAYMENT_DISPUTED) is denied


def test_the_last_unit_of_a_limit_can_be_had_and_not_one_more() -> None:
    usage = Usage(reserved=300, settled=200, earlier=100)
    fits, too_much = (_decided(amount, limit(cap=1000), usage=usage) for amount in (400, 401))
    assert (fits.denial, fits.state, fits.next_action) == (None, State.QUEUED, NextAction.WAIT)
    assert too_much.denial is Denial.LIMIT_EXCEEDED
    (line,) = too_much.lines
    assert (line.charge.limit.cap, line.settled, line.reserved, line.headroom) == (1000, 300, 300, 400)
    assert (line.charge.amount, line.fits) == (401, False)


def test_a_cap_below_what_is_taken_has_negative_headroom() -> None:
    (line,) = _decided(1, limit(cap=100), usage=Usage(settled=300)).lines
    assert (line.headroom, line.fits) == (-200, False)


def test_the_last_unit_of_a_payment_can_be_had_and_not_one_more() -> None:
    book = PaymentBook(reserved=1000, settled=2000, external=3000)
    assert _decided(4000, limit(cap=10**6), book=book).denial is None
    assert _decided(4001, limit(cap=10**6), book=book).denial is Denial.AMOUNT_EXCEEDS_REFUNDABLE
    assert PaymentBook(external=10_001).remaining(10_000) == 0


def test_nothing_that_remains_is_nothing_to_refund() -> None:
    decision = _decided(0, limit(), book=PaymentBook(settled=10_000))
    assert decision.denial is Denial.AMOUNT_EXCEEDS_REFUNDABLE
    assert decision.next_action is NextAction.DO_NOT_RETRY


def test_a_count_alone_limits_no_amount() -> None:
    assert _decided(100, limit(measure=Measure.COUNT, cap=10)).denial is Denial.NO_LIMIT


@pytest.mark.parametrize("state", [State.QUEUED, State.UNKNOWN, State.SUCCEEDED])
def test_the_same_amount_again_is_a_possible_duplicate(state: State) -> None:
    twins = (sibling("rr_6", 99), sibling("rr_7", 100, state), sibling("rr_8", 100, state))
    decision = _decided(100, limit(), siblings=twins)
    assert (decision.denial, decision.duplicate_of) == (Denial.POSSIBLE_DUPLICATE, "rr_7")


#   named         a human repeats it    admitted
REPEATS = [
    (None,        False,                False),
    (None,        True,                 False),
    ("rr_7",      False,                False),
    ("rr_7",      True,                 True),
    ("rr_8",      True,                 True),
    # Another request than the one that would be repeated: a mistaken belief.
    ("rr_6",      True,                 False),
    ("rr_1",      True,                 False),
]  # fmt: skip


@pytest.mark.parametrize(("named", "by_human", "admitted"), REPEATS)
def test_a_repetition_is_admitted_when_a_human_names_what_is_repeated(
    named: str | None, by_human: bool, admitted: bool
) -> None:
    siblings = (sibling("rr_6", 99), OPEN_TWIN, sibling("rr_8", 100, State.SUCCEEDED))
    decision = _decided(100, limit(), siblings=siblings, duplicate_of=named, duplicate_allowed=by_human)
    assert (decision.denial is None) is admitted
    assert decision.duplicate_of == (None if admitted else "rr_7")


#   approval above   amount   asks somebody
THRESHOLDS = [
    (None,           100,     False),
    (100,            100,     False),
    (99,             100,     True),
    (0,              1,       True),
]  # fmt: skip


@pytest.mark.parametrize(("threshold", "amount", "asks"), THRESHOLDS)
def test_an_amount_above_the_threshold_waits_for_an_approver(
    threshold: int | None, amount: int, asks: bool
) -> None:
    decision = _decided(amount, limit(approval_above=threshold))
    assert decision.state is (State.PENDING_APPROVAL if asks else State.QUEUED)
    assert decision.next_action is (NextAction.ASK_APPROVER if asks else NextAction.WAIT)
    assert decision.approval_limit == ("lim_1" if asks else None)


def test_one_limit_that_asks_is_enough_and_the_first_is_named() -> None:
    asking = [limit(id=f"lim_{n}", approval_above=above) for n, above in enumerate([500, None, 50, 10])]
    assert _decided(100, *asking).approval_limit == "lim_2"


def test_what_does_not_fit_is_denied_and_nobody_is_asked() -> None:
    decision = _decided(100, limit(cap=99, approval_above=1))
    assert (decision.denial, decision.approval_limit) == (Denial.LIMIT_EXCEEDED, None)


OUR_OWN = [Denial.NO_LIMIT, Denial.LIMIT_EXCEEDED, Denial.POLICY_DENIED]


@pytest.mark.parametrize("denial", OUR_OWN)
def test_observing_lets_through_what_our_own_rules_refuse_and_says_so(denial: Denial) -> None:
    around = replaced(DENIALS[denial][0], observe=True)
    decision = decide(ask(100), 100, around)
    assert (decision.state, decision.denial, decision.would_deny) == (State.QUEUED, None, denial)


@pytest.mark.parametrize("denial", [d for d in DENIALS if d not in OUR_OWN])
def test_observing_lets_through_nothing_that_the_payment_cannot_give(denial: Denial) -> None:
    decision = decide(ask(100), 100, replaced(DENIALS[denial][0], observe=True))
    assert (decision.state, decision.denial, decision.would_deny) == (State.DENIED, denial, None)


def test_observing_never_makes_anybody_wait_for_an_approver() -> None:
    decision = _decided(100, limit(approval_above=1), observe=True)
    assert (decision.state, decision.next_action) == (State.QUEUED, NextAction.WAIT)
    assert decision.approval_limit == "lim_1", "what enforcing would ask is kept"


def test_taking_books_all_counters_and_the_payment() -> None:
    limits = [
        limit(),
        limit(id="lim_2", scope=Scope.CREDENTIAL),
        limit(id="lim_3", measure=Measure.COUNT, cap=50),
        limit(id="lim_4", window=WindowKind.REQUEST),
    ]
    around = situation(100, *limits, usage=Usage(reserved=7))
    take(decide(ask(100), 100, around), around)
    taken = {(key.limit, key.value): usage.reserved - 7 for key, usage in around.usage.items()}
    assert taken == {
        ("lim_1", "test"): 100,
        ("lim_2", "cred_child"): 100,
        ("lim_2", "cred_parent"): 100,
        ("lim_3", "test"): 1,
    }
    assert around.book == PaymentBook(reserved=100)


def test_taking_a_denial_books_nothing_at_all() -> None:
    around = situation(100, limit(), limit(id="lim_2", cap=99), usage=Usage(reserved=7))
    decision = decide(ask(100), 100, around)
    assert [line.fits for line in decision.lines] == [True, False]
    take(decision, around)
    assert {usage.reserved for usage in around.usage.values()} == {7}
    assert around.book == PaymentBook()
