"""Approval rules as they are lived with: what waits for people, for whom, and what adds up."""

from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Forbidden, NotFound
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.rules import Cumulative, Rule, RuleEffect, RuleMode
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.usecases.rule_drafts import RuleDraft, draft_of
from tests.builders import World
from tests.rules import a_rule, cumulative, rule_draft
from tests.twin import Twin


def _sums(world: World, rule: Rule) -> list[tuple[str, int, int]]:
    """Value, reserved and settled of each counter of the rule's tally."""
    with world.app.store.reading() as reads:
        rows = reads.counters(world.environment, rule.tally or "", at_most=100)
    return [(row.value, row.reserved, row.settled) for row in rows]


def _update(world: World, rule: Rule, draft: RuleDraft) -> Rule:
    return world.app.rules.change.update(world.operator, rule.id, draft, rule.revision)


def _archive(world: World, rule: Rule) -> Rule:
    return world.app.rules.change.archive(world.operator, rule.id, rule.revision)


def test_five_times_9900_does_not_slip_under_10000(world: World) -> None:
    """DESIGN §6, RELIABILITY T1: what adds up for one customer in a day asks from the one that passes the sum."""
    world.limit(10**6)
    rule = a_rule(world, currency="usd", cumulative=cumulative(10_000))
    agent = world.caller()

    def asked(customer: str) -> State:
        return world.request(agent, world.payment(20_000, customer=customer), 9900).state

    states = [asked("cus_split") for _ in range(5)]
    assert states == [State.QUEUED, *[State.PENDING_APPROVAL] * 4]
    assert asked("cus_other") is State.QUEUED
    assert sorted(_sums(world, rule)) == [("cus_other", 9900, 0), ("cus_split", 49_500, 0)]


def test_what_is_given_back_adds_up_no_more_and_what_is_settled_does(world: World) -> None:
    world.limit(10**6)
    rule = a_rule(world, currency="usd", cumulative=cumulative(1000))
    agent = world.caller()
    first = world.request(agent, world.payment(5000, customer="cus_1"), 600)
    waits = world.request(agent, world.payment(5000, customer="cus_1"), 700)
    world.drain(first)
    assert (waits.state, _sums(world, rule)) == (State.PENDING_APPROVAL, [("cus_1", 700, 600)])
    world.decide(world.approver(), waits, Choice.REJECT)
    assert _sums(world, rule) == [("cus_1", 0, 600)]
    assert world.request(agent, world.payment(5000, customer="cus_1"), 399).state is State.QUEUED


def test_a_refund_made_elsewhere_adds_up_too(world: World, twin: Twin) -> None:
    world.limit(10**6)
    rule = a_rule(world, currency="usd", cumulative=cumulative(1000))
    agent, payment = world.caller(), world.payment(5000, customer="cus_1")
    twin.dashboard_refund(payment, 700)
    assert world.request(agent, payment, 300).state is State.PENDING_APPROVAL
    assert _sums(world, rule) == [("cus_1", 300, 700)]


def test_a_new_rule_counts_what_is_there_already(world: World) -> None:
    """Invariant 12, for sums that rules read."""
    world.limit(10**6)
    agent = world.caller()
    world.request(agent, world.payment(5000, customer="cus_1"), 600)
    rule = a_rule(world, RuleEffect.DENY, currency="usd", cumulative=cumulative(1000))
    assert _sums(world, rule) == [("cus_1", 600, 0)]
    denied = world.request(agent, world.payment(5000, customer="cus_1"), 400)
    assert (denied.denial, denied.next_action) == ("policy_denied", "wait_until")
    (fired,) = denied.rules
    why = {one["condition"]: one for one in fired["why"]}["cumulative"]
    assert (why["value"], why["threshold"], why["so_far"], why["this_request"]) == ("cus_1", 1000, 600, 400)
    assert _sums(world, rule) == [("cus_1", 600, 0)], "what is denied adds nothing up"


SUMS = [
    (cumulative(2, scope=Scope.AGENT, measure=Measure.COUNT), ["queued", "pending_approval"]),
    (
        cumulative(3, scope=Scope.CASE, measure=Measure.COUNT, window=WindowKind.LIFETIME),
        ["queued", "queued"],
    ),
    (cumulative(200, scope=Scope.PAYMENT, window=WindowKind.MONTH), ["queued", "queued"]),
    (
        cumulative(200, scope=Scope.CREDENTIAL, window=WindowKind.ROLLING, days=7),
        ["queued", "pending_approval"],
    ),
    (cumulative(200, scope=Scope.ENVIRONMENT, zone="Asia/Shanghai"), ["queued", "pending_approval"]),
]


@pytest.mark.parametrize(("asked", "states"), SUMS)
def test_sums_and_counts_of_every_scope_and_window(
    world: World, asked: Cumulative, states: list[str]
) -> None:
    world.limit(10**6)
    a_rule(world, currency="usd", cumulative=asked)
    agent = world.caller()
    found = [world.request(agent, world.payment(5000), 100, case="ZD-1").state for _ in range(2)]
    assert found == states


def test_a_case_that_is_not_named_is_not_a_way_around_what_adds_up(world: World) -> None:
    """A condition of which nobody knows whether it holds asks for approval, a customer's as a case's."""
    world.limit(10**6)
    a_rule(world, currency="usd", cumulative=cumulative(10_000, scope=Scope.CASE))
    agent = world.caller()
    assert world.request(agent, world.payment(5000), 100, case="ZD-1").state is State.QUEUED
    assert world.request(agent, world.payment(5000), 100).state is State.PENDING_APPROVAL


def test_rules_that_count_the_same_share_what_they_count_until_the_last_is_archived(world: World) -> None:
    world.limit(10**6)
    agent = world.caller()
    first = a_rule(world, currency="usd", cumulative=cumulative(1000))
    second = a_rule(world, RuleEffect.DENY, currency="usd", cumulative=cumulative(5000))
    third = a_rule(world, currency="eur", cumulative=cumulative(5000))
    assert first.tally == second.tally != third.tally
    _archive(world, first)
    world.request(agent, world.payment(5000, customer="cus_1"), 600)
    assert _sums(world, second) == [("cus_1", 600, 0)]
    changed = _update(world, second, rule_draft(RuleEffect.DENY, currency="usd", amount_at_least=9000))
    assert changed.tally is None
    open_request = world.request(agent, world.payment(5000, customer="cus_1"), 700)
    assert _sums(world, second) == [("cus_1", 600, 0)], "what nobody reads is not counted any more"
    world.drain(open_request)
    assert _sums(world, second) == [("cus_1", 0, 600)], "what it holds still settles"
    again = a_rule(world, currency="usd", cumulative=cumulative(1000))
    assert (again.tally == first.tally, _sums(world, again)) == (False, [("cus_1", 0, 1300)])


def test_a_tally_is_no_limit_to_people(world: World) -> None:
    agent = world.caller()
    rule = a_rule(world, currency="usd", cumulative=cumulative(10**6))
    refused = world.request(agent, world.payment(5000), 100)
    assert (refused.denial, refused.limits) == ("no_limit", ())
    limit = world.limit(1000)
    assert world.app.queries.limits(world.operator, archived=True) == (limit,)
    for look in (world.app.queries.limit, world.app.queries.counters):
        with pytest.raises(NotFound):
            look(world.operator, rule.tally or "")
    with pytest.raises(NotFound):
        world.app.change_limit.archive(world.operator, rule.tally or "", AsSeen(1))
    allowance = world.app.queries.allowance(agent, None, "usd")
    assert [line["limit"] for line in allowance.limits] == [limit.id]
    request = world.request(agent, world.payment(5000, customer="cus_1"), 100)
    assert [line["limit"] for line in request.limits] == [limit.id]


def test_the_strictest_of_all_rules_decides_and_all_are_told(world: World) -> None:
    world.limit(10**6)
    allow = a_rule(world, RuleEffect.ALLOW, currency="usd")
    two = a_rule(world, quorum=2, expires_seconds=7200)
    one = a_rule(world, expires_seconds=600, currency="usd")
    tried = a_rule(world, RuleEffect.DENY, mode=RuleMode.DRY_RUN)
    request = world.request(world.caller(), world.payment(5000), 100)
    assert (request.state, request.quorum) == (State.PENDING_APPROVAL, 2)
    assert request.expires_at == request.created_at + timedelta(seconds=600)
    assert [one["rule"] for one in request.rules] == [allow.id, two.id, one.id, tried.id]
    assert [one["rule"] for one in request.shown["rules"]] == [allow.id, two.id, one.id]
    assert {need["asked_by"] for need in request.shown["needs"]} == {one.id, two.id}
    denying = a_rule(world, RuleEffect.DENY)
    denied = world.request(world.caller(name="other"), world.payment(5000), 100)
    assert (denied.denial, denied.rules[-1]["rule"]) == ("policy_denied", denying.id)


def test_a_quorum_of_named_people_is_theirs_to_meet(world: World) -> None:
    """Cases of "What users ask for": a named person for what is large, frozen when it was asked (76)."""
    world.limit(10**6)
    lead = a_rule(world, approvers=("lena",), currency="usd", amount_at_least=1000)
    a_rule(world, quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 1000)
    _update(world, lead, rule_draft(approvers=("nobody",)))
    assert world.decide(world.approver("ana"), waits, Choice.APPROVE).state is State.PENDING_APPROVAL
    assert world.decide(world.approver("ben"), waits, Choice.APPROVE).state is State.PENDING_APPROVAL
    lena = world.approver("lena's key", owner="lena")
    assert world.decide(lena, waits, Choice.APPROVE).state is State.QUEUED
    assert world.drain(waits) == 1


def test_an_approval_that_cannot_count_is_refused(world: World) -> None:
    world.limit(10**6)
    a_rule(world, approvers=("lena",))
    waits = world.request(world.caller(), world.payment(5000), 100)
    with pytest.raises(Forbidden) as refused:
        world.decide(world.approver("ana"), waits, Choice.APPROVE)
    assert (refused.value.code, refused.value.extra["approvers"]) == ("not_asked", ["lena"])
    assert world.decide(world.approver("ben"), waits, Choice.REJECT).state is State.REJECTED


def test_a_change_of_a_rule_changes_nothing_that_waits(world: World) -> None:
    """The policy of a decision is the one it was made under, and can be read later."""
    world.limit(10**6)
    rule = a_rule(world, name="first words", quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 100)
    changed = _update(world, rule, replace(draft_of(rule), name="other words", when=replace(rule.when)))
    _archive(world, changed)
    assert world.request(world.caller(), world.payment(5000), 100).state is State.QUEUED
    assert (world.now(waits).state, world.now(waits).quorum) == (State.PENDING_APPROVAL, 2)
    history = world.app.rules.read.history(world.operator, rule.id)
    assert [(one.rule.revision, one.rule.name, one.rule.archived) for one in history] == [
        (3, "other words", True),
        (2, "other words", False),
        (1, "first words", False),
    ]
    told = waits.rules[0]
    assert history[-1].rule.name == told["name"] == "first words"
    assert told["revision"] == history[-1].rule.revision


def test_the_first_refund_of_a_customer(world: World, twin: Twin) -> None:
    world.limit(10**6)
    a_rule(world, first_refund=True)
    agent, approver = world.caller(), world.approver()
    first = world.request(agent, world.payment(5000, customer="cus_new"), 100)
    assert first.state is State.PENDING_APPROVAL
    assert world.request(agent, world.payment(5000, customer="cus_new"), 100).state is State.PENDING_APPROVAL
    world.drain(world.decide(approver, first, Choice.APPROVE))
    assert world.request(agent, world.payment(5000, customer="cus_new"), 100).state is State.QUEUED
    elsewhere = world.payment(5000, customer="cus_elsewhere")
    twin.dashboard_refund(elsewhere, 50)
    assert world.request(agent, elsewhere, 100).state is State.QUEUED
    assert world.request(agent, world.payment(5000), 100).state is State.PENDING_APPROVAL, (
        "whose first is it?"
    )
