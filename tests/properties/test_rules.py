"""Rules in any number and order: the strictest wins, worked out a second time by hand; and nothing slips under a sum."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.admission import Decision, decide, take
from governor.domain.credentials import Kind
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope, Usage
from governor.domain.quorum import largest, shortest, still_asked
from governor.domain.rules import Cumulative, Rule, RuleEffect, RuleMode
from governor.domain.windows import WindowKind
from tests.unit.values import FACTS, ask, limit, replaced, rule, situation

BIG = limit(id="lim_big", cap=10**9)
TALLY = limit(id="lim_t", scope=Scope.CUSTOMER, cap=2**53 - 1, tally=True)
USUAL = 3600
PEOPLE = ("ana", "ben", "cem", "dora")

#   the conditions of a rule, and when they hold for 100 usd from a program (None: nobody knows)
KINDS: list[tuple[dict[str, Any], bool | None]] = [
    ({}, True),
    ({"currency": "usd"}, True),
    ({"currency": "eur"}, False),
    ({"currency": "usd", "amount_at_least": 100}, True),
    ({"currency": "usd", "amount_at_least": 101}, False),
    ({"requester": Kind.HUMAN}, False),
    ({"first_refund": True}, None),
    ({"first_refund": True, "currency": "eur"}, False),
]


@st.composite
def rules(draw: st.DrawFn) -> tuple[tuple[Rule, bool | None], ...]:
    """Up to six rules of any kind, each with whether it holds."""
    made = []
    for number in range(draw(st.integers(0, 6))):
        when, holds = draw(st.sampled_from(KINDS))
        effect = draw(st.sampled_from(RuleEffect))
        asked: dict[str, Any] = {}
        if effect is RuleEffect.APPROVAL:
            asked["quorum"] = draw(st.integers(1, 3))
            asked["approvers"] = draw(st.sampled_from([None, PEOPLE[:3], PEOPLE]))
            asked["expires_seconds"] = draw(st.sampled_from([None, 60, 7200]))
        mode = draw(st.sampled_from([RuleMode.ENFORCE, RuleMode.ENFORCE, RuleMode.DRY_RUN]))
        made.append((rule(effect, id=f"rule_{number}", mode=mode, **when, **asked), holds))
    return tuple(made)


def _decided(some: list[Rule]) -> Decision:
    facts = replaced(FACTS, customer=None)
    return decide(ask(100), 100, situation(100, BIG, rules=tuple(some), facts=facts, first_refund=None))


@settings(max_examples=400, deadline=None)
@given(drawn=rules(), seed=st.integers(0, 2**32))
def test_the_strictest_wins_in_whatever_order(drawn: tuple[tuple[Rule, bool | None], ...], seed: int) -> None:
    order = [one for one, _ in drawn]
    decision = _decided(order)
    Random(seed).shuffle(order)  # noqa: S311  any order will do
    assert _decided(order) == decision
    fires = [(one, holds) for one, holds in drawn if holds is not False]
    assert [fired.rule for fired in decision.rules] == [one for one, _ in fires]
    live = [(one, holds) for one, holds in fires if one.mode is RuleMode.ENFORCE]
    if any(holds and one.then.effect is RuleEffect.DENY for one, holds in live):
        assert (decision.denial, decision.needs) == ("policy_denied", ())
        return
    asking = [one for one, holds in live if holds is None or one.then.effect is RuleEffect.APPROVAL]
    assert (decision.state is State.PENDING_APPROVAL) is bool(asking)
    assert largest(decision.needs) == max((one.then.quorum or 1 for one in asking), default=0)
    if asking:
        times = [one.then.expires_seconds or USUAL for one in asking]
        assert shortest(decision.needs, USUAL) == min(times)


@settings(max_examples=200, deadline=None)
@given(drawn=rules(), approved=st.sets(st.sampled_from([*PEOPLE, "eve"])))
def test_a_rule_more_never_makes_anything_easier(
    drawn: tuple[tuple[Rule, bool | None], ...], approved: set[str]
) -> None:
    """What is denied stays denied, what waits waits, and whoever was not enough is not enough with more rules."""
    some = [one for one, _ in drawn]
    before, after = _decided(some[:-1]), _decided(some)
    strictness = (State.QUEUED, State.PENDING_APPROVAL, State.DENIED)
    assert strictness.index(after.state) >= strictness.index(before.state)
    if after.denial is None:
        enough = [not still_asked(one.needs, dict.fromkeys(approved, ())) for one in (before, after)]
        assert enough != [False, True]


@settings(max_examples=300, deadline=None)
@given(
    threshold=st.integers(1, 10_000),
    asks=st.lists(
        st.tuples(st.integers(1, 4_000), st.sampled_from(["stays", "settled", "released"])), max_size=20
    ),
    measure=st.sampled_from(Measure),
)
def test_nothing_that_adds_up_slips_under_a_threshold(
    threshold: int, asks: list[tuple[int, str]], measure: Measure
) -> None:
    """However an amount is split, what goes through unasked stays under the threshold, and the tally is its recount."""
    of_amount = measure is Measure.AMOUNT
    tally = replaced(TALLY, measure=measure, currency="usd" if of_amount else None)
    summed = Cumulative(Scope.CUSTOMER, measure, WindowKind.DAY, None, "UTC", threshold)
    one = rule(RuleEffect.DENY, currency="usd", cumulative=summed, tally="lim_t")
    taken, recount = Usage(), 0
    for amount, fate in asks:
        around = situation(amount, BIG, tally, rules=(one,), facts=replaced(FACTS, captured_minor=10**8))
        key = next(key for key in around.usage if key.limit == "lim_t")
        around = replaced(around, usage={**around.usage, key: taken})
        decision = decide(ask(amount), amount, around)
        worth = amount if of_amount else 1
        assert (decision.denial == "policy_denied") is (recount + worth >= threshold)
        take(decision, around)
        if decision.denial is None:
            recount += worth if fate != "released" else 0
            taken.reserved -= worth if fate != "stays" else 0
            taken.settled += worth if fate == "settled" else 0
        assert taken.exposure == recount < threshold or recount == 0
