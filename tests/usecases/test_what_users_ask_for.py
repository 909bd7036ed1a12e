"""What people ask of tools like this one (SCENARIOS, "What users ask for"), set up as an operator would."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from governor.domain.admission import Denial
from governor.domain.approval import Choice
from governor.domain.errors import Conflict, Forbidden
from governor.domain.lifecycle import State
from governor.domain.rules import RuleEffect
from governor.ports.records import TrailFilter
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def world(new_world: Callable[..., World], provider: FakeProvider) -> World:
    """With a clock, and a provider whose payments have the age that they need."""
    return new_world(clock=True, provider=provider, approval_seconds=3600)


def test_small_ones_go_alone_large_ones_to_a_lead_and_very_large_ones_to_a_named_person(world: World) -> None:
    """langfuse-docs PR #3268: below 500 the agent alone, from 500 a lead, from 2,000 a named person."""
    world.limit(10**7)
    a_rule(world, name="lead", currency="usd", amount_at_least=50_000)
    a_rule(world, name="boss", currency="usd", amount_at_least=200_000, approvers=("boss",))
    agent, lead, boss = (
        world.caller(),
        world.approver("lead", owner="lead"),
        world.approver("b", owner="boss"),
    )

    def asked(amount: int) -> State:
        return world.request(agent, world.payment(300_000), amount).state

    assert [asked(amount) for amount in (49_999, 50_000)] == [State.QUEUED, State.PENDING_APPROVAL]
    large = world.request(agent, world.payment(300_000), 60_000)
    assert world.decide(lead, large, Choice.APPROVE).state is State.QUEUED
    very_large = world.request(agent, world.payment(300_000), 200_000)
    # The lead meets the lead's need; the named person has to be among those who say yes.
    assert world.decide(lead, very_large, Choice.APPROVE).state is State.PENDING_APPROVAL
    assert world.decide(boss, very_large, Choice.APPROVE).state is State.QUEUED


@pytest.mark.parametrize(
    ("age", "state", "denial"),
    [
        (timedelta(hours=2), State.PENDING_APPROVAL, None),
        (timedelta(days=1), State.DENIED, Denial.POLICY_DENIED),
        (timedelta(days=9), State.DENIED, Denial.POLICY_DENIED),
    ],
)
def test_the_owner_may_on_the_same_day_and_nobody_later(
    world: World, provider: FakeProvider, age: timedelta, state: State, denial: Denial | None
) -> None:
    """FloCafe #278, in days: the owner on the same day, then never. Its first hour is finer than rules can say."""
    world.limit(10**6)
    a_rule(world, name="owner", approvers=("owner",))
    a_rule(world, RuleEffect.DENY, name="too late", payment_days_at_least=1)
    payment = provider.add_payment(paid_at=world.app.queries.now() - age)
    request = world.request(world.caller(), payment, 1000)
    assert (request.state, request.denial) == (state, denial)
    if state is State.PENDING_APPROVAL:
        with pytest.raises(Forbidden, match="not_asked"):
            world.decide(world.approver("manager", owner="manager"), request, Choice.APPROVE)
        assert world.decide(world.approver("o", owner="owner"), request, Choice.APPROVE).state is State.QUEUED


def test_finance_can_prove_that_only_those_who_may_have_approved(world: World) -> None:
    """bcgov/entity#27669: every decision is in the trail with its person, and is sealed there."""
    world.limit(10**6, approval_above=100)
    approver = world.approver("treasurer", owner="treasurer")
    request = world.request(world.caller(), world.payment(), 1000)
    world.decide(approver, request, Choice.APPROVE)
    chosen = TrailFilter(actions=("hold.decided",))
    rows = world.app.audit.read.end_of(world.environment, chosen, None, None, at_most=10)
    assert [(row.entry.actor, row.entry.facts["person"]) for row in rows] == [
        (approver.credential.id, "treasurer")
    ]
    assert world.app.audit.verify(world.environment).broken is None


def test_what_nobody_decided_in_time_is_marked_so_and_was_never_sent(world: World) -> None:
    """hoophq/hoop #883, case 73: "expired" is not "rejected", and says to submit it again."""
    world.limit(10**6, approval_above=100)
    request = world.request(world.caller(), world.payment(), 1000)
    world.advance(3601)
    with pytest.raises(Conflict, match="hold_expired: Nobody decided in time"):
        world.decide(world.approver(), request, Choice.APPROVE)
    world.app.expire_holds(world.environment)
    assert world.now(request).state is State.EXPIRED
    assert world.now(request).attempts == 0


def test_a_hold_cannot_be_kept_for_ever(world: World) -> None:
    """Case 78: somebody who never decides would keep the capacity of others; every hold has an end."""
    world.limit(1000, approval_above=100)
    held = world.request(world.caller(), world.payment(), 1000)
    assert held.expires_at == held.created_at + timedelta(hours=1)
    other = world.caller()
    assert world.request(other, world.payment(), 500).denial is Denial.LIMIT_EXCEEDED
    world.advance(3601)
    assert world.request(other, world.payment(), 100).denial is None
