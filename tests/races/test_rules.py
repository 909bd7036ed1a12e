"""Sums that rules read, under many hands at once."""

from collections import Counter
from collections.abc import Callable
from functools import partial

from governor.domain.approval import Choice
from governor.domain.limits import Measure, Scope
from governor.domain.rules import RuleEffect
from tests.builders import World, close
from tests.races.at_once import at_once
from tests.rules import a_rule, cumulative


def test_five_times_9900_at_once_does_not_slip_under_10000(world: World) -> None:
    """DESIGN §6: two processes, five requests in the same instant; one goes through, four ask."""
    world.limit(10**6)
    a_rule(world, currency="usd", cumulative=cumulative(10_000))
    agent, other = world.caller(), world.another_process()
    payments = [world.payment(20_000, customer="cus_split") for _ in range(5)]
    try:
        states = at_once(
            [
                partial(world.request, agent, payment, 9900, app=other if n % 2 else world.app)
                for n, payment in enumerate(payments)
            ]
        )
    finally:
        close(other)
    assert Counter(one.state.value for one in states) == {"queued": 1, "pending_approval": 4}


def test_120_times_99_under_a_threshold_of_100_a_day(world: World) -> None:
    """RELIABILITY T1: an agent that splits is asked from the request that passes the sum."""
    world.limit(10**6)
    rule = a_rule(world, RuleEffect.DENY, currency="usd", cumulative=cumulative(1000, scope=Scope.AGENT))
    agent = world.caller()
    payments = [world.payment(5000) for _ in range(40)]
    found = at_once([partial(world.request, agent, payment, 99) for payment in payments])
    denials = Counter(str(one.denial or one.state) for one in found)
    assert denials == {"queued": 10, "policy_denied": 30}
    with world.app.store.reading() as reads:
        (row,) = reads.counters(world.environment, rule.tally or "", at_most=10)
    assert (row.reserved, row.settled) == (990, 0)


def test_a_rule_that_comes_while_others_ask_counts_each_of_them_once(world: World) -> None:
    """Invariant 12 under a race: whoever is admitted before it is counted by it, whoever comes after charges it."""
    world.limit(10**6)
    agent = world.caller()
    payments = [world.payment(5000) for _ in range(20)]
    counted = cumulative(1000, scope=Scope.AGENT, measure=Measure.COUNT)
    deeds: list[Callable[[], object]] = [partial(world.request, agent, one, 100) for one in payments]
    deeds.insert(10, partial(a_rule, world, cumulative=counted))
    at_once(deeds)
    (rule,) = world.app.rules.read.all(world.operator)
    with world.app.store.reading() as reads:
        (row,) = reads.counters(world.environment, rule.tally or "", at_most=10)
    assert (row.reserved, row.settled) == (20, 0)
    assert world.app.check_books().findings == ()


def test_the_last_approvals_of_two_needs_at_once_send_one_refund(world: World) -> None:
    """The lead and two others approve in the same instant: the hold moves once, and once is sent."""
    world.limit(10**6)
    a_rule(world, approvers=("lena",))
    a_rule(world, quorum=3)
    waits = world.request(world.caller(), world.payment(5000), 100)
    people = [world.approver(f"key of {name}", owner=name) for name in ("lena", "ben", "cem")]
    found = at_once([partial(world.decide, person, waits, Choice.APPROVE) for person in people])
    assert Counter(one.state.value for one in found) == {"pending_approval": 2, "queued": 1}
    assert world.drain(waits) == 1
    assert len(world.writes()) == 1
