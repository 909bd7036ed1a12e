"""Approval rules under change: who may, what means something, and who hears of it when."""

from collections.abc import Callable
from dataclasses import replace
from datetime import time
from functools import partial

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from governor.domain.lifecycle import State
from governor.domain.limits import Measure
from governor.domain.rules import MOST_RULES, Hours, RuleEffect, Weekday
from governor.domain.windows import WindowKind
from governor.usecases.rule_drafts import RuleDraft, draft_of
from tests.builders import World, close, fresh_key
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule, cumulative, rule_draft


def test_only_operators_change_rules(world: World) -> None:
    rule = a_rule(world)
    change = world.app.rules.change
    for role in set(Role) - {Role.OPERATOR}:
        somebody = world.caller(role, f"a {role}", kind=Kind.HUMAN)
        attempts: tuple[Callable[[], object], ...] = (
            partial(change.create, somebody, rule_draft(), fresh_key()),
            partial(change.update, somebody, rule.id, rule_draft(RuleEffect.ALLOW), 1),
            partial(change.archive, somebody, rule.id, 1),
        )
        for attempt in attempts:
            with pytest.raises(Forbidden) as refused:
                attempt()
            assert refused.value.code == "role_not_allowed"
    assert world.app.rules.read.one(world.operator, rule.id) == rule


def test_a_change_names_the_revision_it_is_based_on(world: World) -> None:
    rule = a_rule(world)
    change = world.app.rules.change
    changed = change.update(world.operator, rule.id, rule_draft(RuleEffect.DENY), 1)
    assert (changed.revision, changed.then.effect) == (2, RuleEffect.DENY)
    with pytest.raises(PreconditionFailed) as stale:
        change.update(world.operator, rule.id, rule_draft(), 1)
    assert stale.value.extra == {"revision": 2}
    archived = change.archive(world.operator, rule.id, 2)
    for named, present in ((rule.id, archived.revision), ("rule_none", 1)):
        with pytest.raises(NotFound):
            change.update(world.operator, named, rule_draft(), present)
        with pytest.raises(NotFound):
            change.archive(world.operator, named, present)
    assert world.app.rules.read.all(world.operator) == ()
    assert world.app.rules.read.all(world.operator, archived=True) == (archived,)


def test_the_same_key_makes_one_rule(world: World) -> None:
    change, key = world.app.rules.change, fresh_key("rule")
    draft = rule_draft(currency="usd", cumulative=cumulative(100))
    first, again = change.create(world.operator, draft, key), change.create(world.operator, draft, key)
    assert (first[1], again[1], first[0]) == (False, True, again[0])
    with pytest.raises(Invalid) as reused:
        change.create(world.operator, replace(draft, name="another"), key)
    assert reused.value.code == "idempotency_key_reused"


def test_no_more_rules_than_every_admission_can_look_at(world: World) -> None:
    rules = [a_rule(world, name=f"rule {n}") for n in range(MOST_RULES)]
    with pytest.raises(Conflict) as full:
        a_rule(world)
    assert full.value.code == "too_many_rules"
    world.app.rules.change.archive(world.operator, rules[0].id, 1)
    assert a_rule(world).revision == 1


NIGHT = Hours(time(22), time(6), (Weekday.SUN,), "UTC")
SUM = cumulative(100)

#   what is asked for                                                        the field that is wrong
MEANINGLESS: list[tuple[RuleDraft, str]] = [
    (rule_draft(name=""),                                                    "/name"),
    (rule_draft(name="two\nlines"),                                          "/name"),
    (rule_draft(currency="xxx"),                                             "/when/currency"),
    (rule_draft(amount_at_least=100),                                        "/when/currency"),
    (rule_draft(cumulative=SUM),                                             "/when/currency"),
    (rule_draft(currency="usd", amount_at_least=0),                          "/when/amount_at_least"),
    (rule_draft(currency="usd", amount_at_least=10**9),                      "/when/amount_at_least"),
    (rule_draft(reasons=("because",)),                                       "/when/reasons"),
    (rule_draft(reasons=("fraudulent", "fraudulent")),                       "/when/reasons"),
    (rule_draft(payment_days_at_least=-1),                                   "/when/payment_days_at_least"),
    (rule_draft(hours=replace(NIGHT, ends=NIGHT.begins)),                    "/when/hours/ends"),
    (rule_draft(hours=replace(NIGHT, weekdays=())),                          "/when/hours/weekdays"),
    (rule_draft(hours=replace(NIGHT, time_zone="Mars/Base")),                "/when/hours/time_zone"),
    (rule_draft(currency="usd", cumulative=replace(SUM, window=WindowKind.REQUEST)), "/when/cumulative/window"),
    (rule_draft(currency="usd", cumulative=replace(SUM, window=WindowKind.ROLLING)), "/when/cumulative/window_days"),
    (rule_draft(currency="usd", cumulative=replace(SUM, at_least=0)),        "/when/cumulative/at_least"),
    (rule_draft(currency="usd", cumulative=replace(SUM, time_zone="../etc")), "/when/cumulative/time_zone"),
    (rule_draft(quorum=0),                                                   "/then/quorum"),
    (rule_draft(quorum=6),                                                   "/then/quorum"),
    (rule_draft(expires_seconds=59),                                         "/then/expires_seconds"),
    (rule_draft(approvers=()),                                               "/then/approvers"),
    (rule_draft(approvers=("ana", "ana")),                                   "/then/approvers"),
    (rule_draft(quorum=2, approvers=("ana",)),                               "/then/approvers"),
    (rule_draft(RuleEffect.DENY, approvers=("ana",)),                            "/then/effect"),
    (rule_draft(RuleEffect.ALLOW, expires_seconds=600),                          "/then/effect"),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "pointer"), MEANINGLESS)
def test_a_rule_that_means_nothing_is_refused_with_the_field(draft: RuleDraft, pointer: str) -> None:
    with pytest.raises(Invalid) as refused:
        draft.check()
    assert [one.pointer for one in refused.value.errors] == [pointer]


def test_what_means_something_is_not_refused() -> None:
    rule_draft(reasons=("not_given",), hours=NIGHT, payment_days_at_least=0).check()
    rule_draft(cumulative=cumulative(3, measure=Measure.COUNT)).check()
    rule_draft(quorum=2, approvers=("ana", "ben"), expires_seconds=60).check()


def test_every_process_knows_of_a_rule_at_once(world: World) -> None:
    world.limit(10**6)
    agent, other = world.caller(), world.another_process()
    try:
        assert world.request(agent, world.payment(5000), 100, app=other).state is State.QUEUED
        rule = a_rule(world)
        assert world.request(agent, world.payment(5000), 100, app=other).state is State.PENDING_APPROVAL
        world.app.rules.change.archive(world.operator, rule.id, 1)
        assert world.request(agent, world.payment(5000), 100, app=other).state is State.QUEUED
    finally:
        close(other)


def test_what_changed_and_who_changed_it_is_in_the_trail(world: World) -> None:
    rule = a_rule(world, name="before")
    named = replace(draft_of(rule), name="after")
    changed = world.app.rules.change.update(world.operator, rule.id, named, 1)
    world.app.rules.change.archive(world.operator, rule.id, changed.revision)
    with world.app.store.reading() as reads:
        rows = [one.entry for one in reads.audit(world.environment, after=0, at_most=100)]
    told = [(one.action, one.facts) for one in rows if one.object == rule.id]
    assert [action for action, _ in told] == ["rule.created", "rule.changed", "rule.archived"]
    assert (told[1][1]["from"]["name"], told[1][1]["to"]["name"]) == ("before", "after")
    assert (told[2][1]["to"]["archived"], told[2][1]["person"]) == (True, world.operator.credential.owner)


def test_a_rule_begins_when_it_says(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, provider=FakeProvider())
    world.limit(10**6)
    agent = world.caller()
    a_rule(world, RuleEffect.DENY, starts_at=world.app.store.now().replace(year=2030, month=1, day=1))
    assert world.request(agent, world.payment(5000), 100).state is State.QUEUED
    world.travel_to("2030-12-31T00:00:00+00:00")
    assert world.request(agent, world.payment(5000), 100).denial == "policy_denied"


def test_in_observe_mode_rules_stop_nobody_and_are_recorded(new_world: Callable[..., World]) -> None:
    world = new_world(mode=Mode.OBSERVE)
    world.limit(10**6)
    rule = a_rule(world, RuleEffect.DENY)
    request = world.request(world.caller(), world.payment(5000), 100)
    assert (request.state, request.last_reason) == (State.QUEUED, "policy_denied")
    assert [(one["rule"], one["effect"]) for one in request.rules] == [(rule.id, "deny")]


def test_how_a_rule_did_is_told_from_what_became_of_its_hits(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, provider=FakeProvider())
    world.limit(10**6)
    asking, silent = a_rule(world, currency="usd", amount_at_least=500), a_rule(world, currency="eur")
    agent, approver = world.caller(), world.approver()
    waits = [world.request(agent, world.payment(5000), amount) for amount in (500, 600, 700)]
    world.request(agent, world.payment(5000), 100)
    world.advance(90)
    world.decide(approver, waits[0], Choice.APPROVE)
    world.decide(approver, waits[1], Choice.REJECT)
    found, nothing = world.app.rules.read.health_of_all(world.operator)
    assert (found.rule, found.looked_at, found.hits, found.held, found.waiting) == (asking.id, 4, 3, 3, 1)
    assert (found.approved, found.rejected, found.at_stake) == (1, 1, {"usd": 1800})
    assert 80 <= (found.median_seconds or 0) <= 600
    assert (nothing.rule, nothing.never_fired) == (silent.id, True)
    alone = world.app.rules.read.health(world.operator, asking.id)
    assert replace(alone, since=found.since) == found
    (of_late, _) = world.app.rules.read.health_of_all(world.operator, at_most=2)
    assert (of_late.looked_at, of_late.hits, of_late.since) == (2, 1, waits[2].created_at), "since when it is"
    world.advance(40 * 86400)
    assert world.app.rules.read.health(world.operator, asking.id).looked_at == 0
