from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from governor.domain.admission import Decision, Denial, NextAction, decide, take
from governor.domain.credentials import Kind
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope, Usage
from governor.domain.quorum import largest
from governor.domain.rule_words import shown_firings
from governor.domain.rules import (
    NOT_GIVEN,
    Cumulative,
    Hours,
    Rule,
    RuleEffect,
    RuleMode,
    Weekday,
)
from governor.domain.windows import WindowKind
from tests.unit.values import FACTS, NOON, ask, limit, replaced, rule, situation

WEEK = tuple(Weekday)
WEEKEND = (Weekday.SAT, Weekday.SUN)
TALLY = limit(id="lim_t", scope=Scope.CUSTOMER, cap=2**53 - 1, tally=True)
OF_CUSTOMER = Cumulative(Scope.CUSTOMER, Measure.AMOUNT, WindowKind.DAY, None, "UTC", 10_000)
BIG = limit(id="lim_big", cap=10**9)


def _decided(*rules: Rule, amount: int = 100, **fields: Any) -> Decision:
    reason = fields.pop("reason", None)
    limits = fields.pop("limits", (BIG,))
    around = situation(amount, *limits, rules=rules, **fields)
    return decide(ask(amount, reason=reason), amount, around)


def _fires(one: Rule, **fields: Any) -> bool | None:
    """Whether a rule that denies does; None when people are asked instead, since nobody knows."""
    decision = _decided(one, **fields)
    if decision.state is State.PENDING_APPROVAL:
        return None
    return decision.denial is Denial.POLICY_DENIED


OLD = replaced(FACTS, paid_at=NOON - timedelta(days=90))
YOUNGER = replaced(FACTS, paid_at=NOON - timedelta(days=90) + timedelta(seconds=1))
AGELESS = replaced(FACTS, paid_at=None)

#   conditions                                     what is so                                    fires
CONDITIONS: list[tuple[dict[str, Any], dict[str, Any], bool | None]] = [
    ({},                                           {},                                           True),
    ({"currency": "usd"},                          {},                                           True),
    ({"currency": "eur"},                          {},                                           False),
    ({"currency": "usd", "amount_at_least": 100},  {"amount": 100},                              True),
    ({"currency": "usd", "amount_at_least": 100},  {"amount": 99},                               False),
    ({"currency": "eur", "amount_at_least": 100},  {"amount": 100},                              False),
    ({"reasons": ("fraudulent", "duplicate")},     {"reason": "duplicate"},                      True),
    ({"reasons": ("fraudulent", "duplicate")},     {"reason": "requested_by_customer"},          False),
    # That no reason was given is known, and can be named.
    ({"reasons": ("fraudulent",)},                 {},                                           False),
    ({"reasons": (NOT_GIVEN,)},                    {},                                           True),
    ({"payment_days_at_least": 90},                {"facts": OLD},                               True),
    ({"payment_days_at_least": 90},                {"facts": YOUNGER},                           False),
    ({"payment_days_at_least": 90},                {"facts": AGELESS},                           None),
    ({"requester": Kind.PROGRAM},                  {"requester": Kind.PROGRAM},                  True),
    ({"requester": Kind.PROGRAM},                  {"requester": Kind.HUMAN},                    False),
    ({"first_refund": True},                       {"first_refund": True},                       True),
    ({"first_refund": True},                       {"first_refund": False},                      False),
    ({"first_refund": False},                      {"first_refund": False},                      True),
    ({"first_refund": True},                       {"first_refund": None},                       None),
    # All that are given must hold: what is known not to hold settles it, whatever is not known.
    ({"currency": "eur", "first_refund": True},    {"first_refund": None},                       False),
    ({"payment_days_at_least": 90, "first_refund": True}, {"facts": AGELESS, "first_refund": True}, None),
]  # fmt: skip


@pytest.mark.parametrize(("when", "so", "fires"), CONDITIONS)
def test_a_rule_fires_when_all_its_conditions_hold_and_asks_when_nobody_knows(
    when: dict[str, Any], so: dict[str, Any], fires: bool | None
) -> None:
    assert _fires(rule(RuleEffect.DENY, **when), **so) is fires


def _hours(begins: str, ends: str, *days: Weekday, zone: str = "UTC") -> Hours:
    return Hours(time.fromisoformat(begins), time.fromisoformat(ends), days or WEEK, zone)


#   hours                                                    an instant (Sat 28, Sun 29 November 2026)  within
HOURS = [
    (_hours("09:00", "17:00"),                               "2026-11-29T08:59:59",                     False),
    (_hours("09:00", "17:00"),                               "2026-11-29T09:00:00",                     True),
    (_hours("09:00", "17:00"),                               "2026-11-29T16:59:59",                     True),
    (_hours("09:00", "17:00"),                               "2026-11-29T17:00:00",                     False),
    (_hours("09:00", "17:00", zone="Europe/Berlin"),         "2026-11-29T08:00:00",                     True),
    (_hours("09:00", "17:00", zone="Europe/Berlin"),         "2026-11-29T16:00:00",                     False),
    (_hours("09:00", "17:00", *WEEKEND),                     "2026-11-27T12:00:00",                     False),
    (_hours("09:00", "17:00", *WEEKEND),                     "2026-11-28T12:00:00",                     True),
    # Over midnight: the night belongs to the day on which it began.
    (_hours("22:00", "06:00", Weekday.SUN),                  "2026-11-29T22:00:00",                     True),
    (_hours("22:00", "06:00", Weekday.SUN),                  "2026-11-30T05:59:59",                     True),
    (_hours("22:00", "06:00", Weekday.SUN),                  "2026-11-30T06:00:00",                     False),
    (_hours("22:00", "06:00", Weekday.SUN),                  "2026-11-29T05:00:00",                     False),
    (_hours("22:00", "06:00", Weekday.SAT),                  "2026-11-29T05:00:00",                     True),
    # Which day it is, is the zone's to say.
    (_hours("00:00", "01:00", Weekday.SUN, zone="Asia/Shanghai"), "2026-11-28T16:30:00",                True),
    (_hours("00:00", "01:00", Weekday.SAT, zone="Asia/Shanghai"), "2026-11-28T16:30:00",                False),
]  # fmt: skip


@pytest.mark.parametrize(("hours", "at", "within"), HOURS)
def test_hours_are_those_of_the_clock_on_the_wall(hours: Hours, at: str, within: bool) -> None:
    assert hours.has(datetime.fromisoformat(at).replace(tzinfo=UTC)) is within


#   so far   this one   fires
SUMS = [
    (0,      9_999,     False),
    (0,      10_000,    True),
    (9_900,  99,        False),
    (9_900,  100,       True),
    (20_000, 1,         True),
]  # fmt: skip


@pytest.mark.parametrize(("so_far", "amount", "fires"), SUMS)
def test_what_adds_up_counts_this_request(so_far: int, amount: int, fires: bool) -> None:
    one = rule(RuleEffect.DENY, currency="usd", cumulative=OF_CUSTOMER, tally="lim_t")
    usage = Usage(reserved=so_far - so_far // 2, settled=so_far // 2)
    assert _fires(one, amount=amount, limits=(BIG, TALLY), usage=usage) is fires


def test_a_sum_that_belongs_to_nobody_asks() -> None:
    """The customer is not known: nobody can say what they have had."""
    one = rule(RuleEffect.DENY, currency="usd", cumulative=OF_CUSTOMER, tally="lim_t")
    assert _fires(one, limits=(BIG,)) is None


def test_the_fullest_counter_of_a_chain_of_credentials_decides() -> None:
    tally = replace(TALLY, scope=Scope.CREDENTIAL)
    asked = replace(OF_CUSTOMER, scope=Scope.CREDENTIAL)
    one = rule(RuleEffect.DENY, currency="usd", cumulative=asked, tally="lim_t")
    around = situation(100, BIG, tally, rules=(one,))
    (parent,) = (key for key in around.usage if key.value == "cred_parent")
    assert decide(ask(100), 100, around).denial is None
    around.usage[parent].settled = 9_900
    decision = decide(ask(100), 100, around)
    assert decision.denial is Denial.POLICY_DENIED
    (shown,) = shown_firings(decision.rules)
    why = shown["why"][1]
    assert (why["value"], why["threshold"], why["so_far"], why["this_request"]) == (
        "cred_parent",
        10_000,
        9_900,
        100,
    )


def test_a_tally_is_taken_like_a_limit_and_is_nobodys_arithmetic() -> None:
    around = situation(100, BIG, TALLY)
    decision = decide(ask(100), 100, around)
    assert [line.charge.limit.id for line in decision.lines] == ["lim_big"]
    assert [charge.limit.id for charge in decision.charges] == ["lim_big", "lim_t"]
    take(decision, around)
    assert {key.limit: usage.reserved for key, usage in around.usage.items()} == {
        "lim_big": 100,
        "lim_t": 100,
    }


def test_a_tally_is_no_limit_that_allows_anything() -> None:
    assert _decided(limits=(TALLY,)).denial is Denial.NO_LIMIT


def test_a_rule_that_is_tried_out_is_recorded_and_not_acted_on() -> None:
    tried = rule(RuleEffect.DENY, mode=RuleMode.DRY_RUN)
    decision = _decided(tried, replace(rule(), id="rule_2", mode=RuleMode.DRY_RUN))
    assert (decision.state, decision.needs) == (State.QUEUED, ())
    assert [(one["rule"], one["mode"], one["effect"]) for one in shown_firings(decision.rules)] == [
        ("rule_1", "dry_run", "deny"),
        ("rule_2", "dry_run", "approval"),
    ]


@pytest.mark.parametrize(("starts", "fires"), [(NOON, True), (NOON + timedelta(microseconds=1), False)])
def test_a_rule_is_looked_at_from_its_start_on(starts: datetime, fires: bool) -> None:
    assert _fires(rule(RuleEffect.DENY, starts_at=starts)) is fires


def test_an_archived_rule_is_not_looked_at() -> None:
    assert _fires(rule(RuleEffect.DENY, archived=True)) is False


@pytest.mark.parametrize("effect", RuleEffect)
def test_whatever_a_rule_would_say_people_are_asked_when_nobody_knows_whether_it_applies(
    effect: RuleEffect,
) -> None:
    decision = _decided(rule(effect, first_refund=True), first_refund=None)
    assert (decision.state, largest(decision.needs)) == (State.PENDING_APPROVAL, 1)
    ((ground,),) = (one["why"] for one in shown_firings(decision.rules))
    assert (ground["condition"], ground["known"], ground["this_request"]) == ("first_refund", False, None)


def test_observing_records_what_a_rule_would_have_done_and_stops_nobody() -> None:
    denied = _decided(rule(RuleEffect.DENY), observe=True)
    assert (denied.state, denied.would_deny) == (State.QUEUED, Denial.POLICY_DENIED)
    asked = _decided(rule(quorum=2), observe=True)
    assert (asked.state, asked.would_deny, largest(asked.needs)) == (State.QUEUED, None, 2)


#   a rule that denies                                        what to do                      until
AFTER_DENIALS = [
    (rule(RuleEffect.DENY),                                       NextAction.DO_NOT_RETRY,        None),
    (rule(RuleEffect.DENY, currency="usd", amount_at_least=50),   NextAction.USE_SMALLER_AMOUNT,  None),
    (rule(RuleEffect.DENY, currency="usd", amount_at_least=1),    NextAction.DO_NOT_RETRY,        None),
    # The sum starts over tomorrow, and this request alone is under it.
    (rule(RuleEffect.DENY, currency="usd", cumulative=OF_CUSTOMER, tally="lim_t"),
                                                              NextAction.WAIT_UNTIL, NOON.replace(day=30, hour=0)),
    # This request alone is too much for it; a smaller one is not.
    (rule(RuleEffect.DENY, currency="usd", cumulative=replace(OF_CUSTOMER, at_least=9_951), tally="lim_t"),
                                                              NextAction.WAIT_UNTIL, NOON.replace(day=30, hour=0)),
    (rule(RuleEffect.DENY, currency="usd", cumulative=replace(OF_CUSTOMER, at_least=90), tally="lim_t"),
                                                              NextAction.DO_NOT_RETRY,        None),
]  # fmt: skip


@pytest.mark.parametrize(("one", "action", "until"), AFTER_DENIALS)
def test_after_a_rule_has_denied_there_is_something_to_be_said(
    one: Rule, action: NextAction, until: datetime | None
) -> None:
    decision = _decided(one, limits=(BIG, TALLY), usage=Usage(settled=9_950))
    assert decision.denial is Denial.POLICY_DENIED
    assert (decision.next_action, decision.next_action_at) == (action, until)
