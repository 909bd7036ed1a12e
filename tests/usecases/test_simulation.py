"""Trying limits and rules on the past: what is said comes true when they are in force, and nothing is written."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import psycopg
import pytest
from psycopg import sql

from governor.domain.approval import Choice
from governor.domain.errors import Invalid
from governor.domain.limits import Scope
from governor.domain.replay_of_past import PastRefund, Verdict
from governor.domain.rules import RuleEffect
from governor.domain.simulation import MOST_EXAMPLES, Heap, Simulation
from governor.usecases.change_limit import LimitDraft
from governor.usecases.rule_drafts import RuleDraft
from governor.usecases.simulate_policy import MOST_DAYS, ProposedPolicy
from tests.builders import World, limit_draft
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule, cumulative, rule_draft
from tests.servers import libpq
from tests.twin import Twin


def _counts(found: Simulation) -> tuple[dict[str, int], dict[str, int]]:
    """How many got each verdict then, and would get it."""
    return _of(found.before), _of(found.after)


def _of(side: Mapping[Verdict, Heap]) -> dict[str, int]:
    return {one.value: heap.count for one, heap in side.items() if heap.count}


def _replay(
    world: World,
    days: int = 30,
    *,
    at_most: int = 1000,
    limits: tuple[LimitDraft, ...] | None = None,
    rules: tuple[RuleDraft, ...] | None = None,
) -> Simulation:
    proposed = ProposedPolicy(limits, rules)
    return world.app.rules.simulate.replay(world.operator, proposed, days, at_most=at_most)


def _written(world: World) -> list[tuple[object, ...]]:
    """How many rows each table has, and the newest transaction that wrote one."""
    tables = ("limits", "rules", "counters", "holds", "refund_requests", "audit", "outbox", "payments")
    look = sql.SQL("SELECT count(*), max(xmin::text::bigint) FROM {}")
    with psycopg.connect(libpq(world.database_url)) as session:
        return [session.execute(look.format(sql.Identifier(one))).fetchall()[0] for one in tables]


def test_the_policy_in_force_changes_nothing_of_the_past(world: World, twin: Twin) -> None:
    """What is decided a second time is decided alike: denials, holds and all, with what was refunded elsewhere."""
    world.limit(5000, approval_above=900)
    a_rule(world, currency="usd", cumulative=cumulative(1500))
    agent = world.caller()
    for amount in (600, 600, 950, 4000, 600):
        world.request(agent, world.payment(20_000, customer="cus_1"), amount)
    elsewhere = world.payment(20_000, customer="cus_1")
    twin.dashboard_refund(elsewhere, 100)
    world.request(agent, elsewhere, 50)
    before = _written(world)
    found = _replay(world)
    assert _counts(found) == (
        {"let_through": 2, "held": 3, "denied": 1},
        {"let_through": 2, "held": 3, "denied": 1},
    )
    assert (found.asked, found.elsewhere, found.changes, found.examples) == (6, 1, {}, [])
    assert _written(world) == before, "nothing is written"


def test_what_would_have_changed_is_counted_summed_and_told(world: World) -> None:
    world.limit(10**6)
    agent = world.caller()
    for number in range(6):
        world.request(agent, world.payment(5000, customer="cus_1"), 1000 + number)
    found = _replay(
        world,
        limits=(limit_draft(10**6), limit_draft(5000, scope=Scope.AGENT)),
        rules=(rule_draft(name="more than two", currency="usd", cumulative=cumulative(3000)),),
    )
    assert _counts(found) == ({"let_through": 6}, {"let_through": 2, "held": 2, "denied": 2})
    changes = {(before.value, after.value): heap for (before, after), heap in found.changes.items()}
    assert {kinds: (heap.count, heap.sums["usd"]) for kinds, heap in changes.items()} == {
        ("let_through", "held"): (2, 2005),
        ("let_through", "denied"): (2, 2009),
    }
    assert found.fired == {"more than two": 4}
    held, denied = found.examples[0], found.examples[-1]
    assert [one["name"] for one in held.why["rules"]] == ["more than two"]
    assert (denied.why["denial"], denied.why["limits"][0]["headroom"]) == ("limit_exceeded", 5000 - 4006)
    (day,) = found.days.values()
    assert (day["before"], day["after"]) == (
        {Verdict.LET_THROUGH: 6},
        {Verdict.LET_THROUGH: 2, Verdict.HELD: 2, Verdict.DENIED: 2},
    )


def test_what_is_said_of_a_policy_comes_true_when_it_is_in_force(world: World) -> None:
    """The same requests, asked anew of an environment that has what was tried."""
    world.limit(10**6)
    agent = world.caller()
    amounts = [700, 100, 900, 1300, 250, 800]
    for amount in amounts:
        world.request(agent, world.payment(5000, customer="cus_1"), amount)
    tried = rule_draft(RuleEffect.DENY, currency="usd", cumulative=cumulative(2500, scope=Scope.AGENT))
    found = _replay(world, limits=(limit_draft(3000),), rules=(tried,))
    other = World(world.database_url, world.redis_url, world.provider, environment="tried")
    try:
        other.limit(3000)
        a_rule(other, RuleEffect.DENY, currency="usd", cumulative=cumulative(2500, scope=Scope.AGENT))
        caller = other.caller()
        real = [other.request(caller, other.payment(5000, customer="cus_1"), one) for one in amounts]
    finally:
        other.close()
    said = {one.past.amount_minor: one.decision.denial for one in found.examples}
    assert said == {one.amount_minor: one.denial for one in real if one.denial}
    assert found.after[Verdict.DENIED].count == len(said) > 0


def test_room_that_was_given_back_is_given_back_in_the_replay(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, provider=FakeProvider())
    world.limit(1000, approval_above=500)
    agent, approver = world.caller(), world.approver()
    waits = world.request(agent, world.payment(5000), 900)
    world.advance(10)
    world.decide(approver, waits, Choice.REJECT)
    world.advance(20)
    assert world.request(agent, world.payment(5000), 400).state == "queued"
    assert _counts(_replay(world))[1] == {"held": 1, "let_through": 1}


def test_what_the_payment_itself_could_not_give_is_set_aside(world: World) -> None:
    world.limit(10**6)
    agent, payment = world.caller(), world.payment(5000)
    assert world.request(agent, payment, 6000).denial == "amount_exceeds_refundable"
    world.request(agent, payment, 100)
    assert world.request(agent, payment, 100).denial == "possible_duplicate"
    found = _replay(world)
    assert (found.asked, found.set_aside) == (1, 2)


def test_no_more_is_replayed_than_was_asked_and_the_oldest_is_left_out(world: World) -> None:
    world.limit(10**6)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 100 + n) for n in range(5)]
    found = _replay(world, at_most=3, limits=())
    assert (found.asked, found.is_whole) == (3, False)
    assert [one.past.id for one in found.examples] == [one.id for one in requests[2:]]
    assert all(one.why["denial"] == "no_limit" for one in found.examples)


def test_only_the_days_that_were_named_are_replayed(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, provider=FakeProvider())
    world.limit(10**6)
    agent = world.caller()
    world.request(agent, world.payment(5000), 100)
    world.advance(3 * 86400)
    world.request(agent, world.payment(5000), 200)
    assert (_replay(world, 2).asked, _replay(world, 4).asked) == (1, 2)
    for days in (0, MOST_DAYS + 1, 3650):
        with pytest.raises(Invalid) as refused:
            _replay(world, days)
        assert refused.value.errors[0].pointer == "/days"


def test_whoever_had_a_refund_before_the_period_has_had_one(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, provider=FakeProvider())
    world.limit(10**6)
    agent = world.caller()
    world.drain(world.request(agent, world.payment(5000, customer="cus_old"), 100))
    world.advance(3 * 86400)
    for customer in ("cus_old", "cus_new", "cus_new"):
        world.request(agent, world.payment(5000, customer=customer), 200)
    found = _replay(world, 1, rules=(rule_draft(first_refund=True),))
    assert _counts(found)[1] == {"held": 1, "let_through": 2}


START = datetime.fromisoformat("2026-11-01T00:00:00+00:00")


def _uploaded(*amounts: int) -> list[PastRefund]:
    return [
        PastRefund(
            f"re_{n}",
            START + timedelta(hours=n),
            amount,
            "usd",
            f"pi_{n}",
            "cus_1",
            None,
            Verdict.LET_THROUGH,
        )
        for n, amount in enumerate(amounts)
    ]


def test_an_uploaded_past_is_replayed_without_any_of_our_own(world: World) -> None:
    world.limit(1000)
    simulate = world.app.rules.simulate
    past = _uploaded(600, 600, 300, *[1] * 40)
    found = simulate.replay_uploaded(world.operator, ProposedPolicy(), past)
    assert _counts(found) == ({"let_through": 43}, {"let_through": 42, "denied": 1})
    stricter = ProposedPolicy(rules=(rule_draft(RuleEffect.DENY, name="none"),))
    found = simulate.replay_uploaded(world.operator, stricter, past)
    assert (found.after[Verdict.DENIED].count, len(found.examples)) == (43, MOST_EXAMPLES)
    assert [len(found.days), found.since, found.until] == [2, START, past[-1].at]


def test_a_proposal_that_means_nothing_is_refused_with_its_place(world: World) -> None:
    for proposed, pointer in (
        (ProposedPolicy(limits=(limit_draft(5), limit_draft(5, currency="xxx"))), "/limits/1/currency"),
        (ProposedPolicy(rules=(rule_draft(amount_at_least=5),)), "/rules/0/when/currency"),
        (ProposedPolicy(rules=tuple(rule_draft() for _ in range(51))), "/rules"),
    ):
        with pytest.raises(Invalid) as refused:
            world.app.rules.simulate.replay(world.operator, proposed, 30)
        assert refused.value.errors[0].pointer == pointer
