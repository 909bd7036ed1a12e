"""What auditors ask about people: how quickly they decide, when, and what they set aside."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from governor.domain.approval import Choice
from governor.domain.audit_questions import OFFICE_HOURS
from governor.domain.credentials import Kind, Role
from governor.domain.decided import Decided
from governor.domain.environments import Mode
from governor.domain.errors import Invalid
from governor.domain.pairs import Pair
from governor.domain.payments import Dispute
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Ending
from governor.ports.votes import VoteFilter
from governor.usecases import audit_reports
from governor.usecases.audit_reports import Period
from governor.usecases.callers import host
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule
from tests.usecases.doubt import in_doubt
from tests.usecases.doubt import provider as provider
from tests.usecases.people import Staff

MINUTE = timedelta(minutes=1)
ALL = VoteFilter()


@pytest.fixture
def here(new_world: Callable[..., World], provider: FakeProvider) -> World:
    world = new_world(provider=provider, clock=True)
    world.limit(1_000_000, approval_above=100)
    return world


def _period(world: World) -> Period:
    return world.app.audit_reports.period(None, None)


def _decided(world: World, chosen: VoteFilter = ALL, *, at_most: int = 50) -> tuple[Decided, ...]:
    found = world.app.audit_reports.decided(world.environment, _period(world), chosen, at_most=at_most)
    return found.lines


def _waiting(world: World, *, owner: str = "Ana", amount: int = 700) -> RefundRequest:
    return world.request(world.caller(owner=owner), world.payment(), amount)


def _pairs(world: World) -> list[Pair]:
    found = world.app.audit_reports.pairs(world.environment, _period(world))
    return [one.pair for one in found]


def test_how_long_a_hold_could_be_looked_at_begins_when_it_is_asked_for(here: World) -> None:
    bob = here.approver(owner="Bob")
    request = _waiting(here)
    here.advance(90)
    here.decide(bob, request, Choice.APPROVE)
    (one,) = _decided(here)
    assert (one.request, one.asker, one.approver, one.approves) == (request.id, "Ana", "Bob", True)
    assert one.before is None
    assert 1.5 * MINUTE <= one.looked < 3 * MINUTE
    assert _decided(here, VoteFilter(within=MINUTE)) == ()
    assert _decided(here, VoteFilter(within=3 * MINUTE)) == (one,)


def test_it_begins_anew_when_what_is_shown_changes(here: World) -> None:
    bob, cem = here.approver(owner="Bob"), here.approver("cem", owner="Cem")
    request = _waiting(here)
    here.advance(600)
    here.decide(bob, request, Choice.RETURN)
    here.advance(1200)
    here.decide(cem, here.now(request), Choice.APPROVE)
    approval, _ = _decided(here)
    assert approval.approver == "Cem"
    assert 10 * MINUTE <= approval.looked < 12 * MINUTE


def test_whoever_has_just_decided_another_has_not_looked_at_this_one_meanwhile(here: World) -> None:
    """Twenty holds that waited for half an hour, approved within moments: nineteen of them were not read."""
    bob = here.approver(owner="Bob")
    waiting = [_waiting(here) for _ in range(3)]
    here.advance(1800)
    for request in waiting:
        here.decide(bob, request, Choice.APPROVE)
    quick = _decided(here, VoteFilter(within=MINUTE))
    assert {one.request for one in quick} == {one.id for one in waiting[1:]}


def test_a_rejection_is_never_too_quick(here: World) -> None:
    here.decide(here.approver(owner="Bob"), _waiting(here), Choice.REJECT)
    assert len(_decided(here)) == 1
    assert _decided(here, VoteFilter(within=timedelta(hours=1))) == ()


def test_decisions_are_found_by_both_people_and_by_their_time(here: World) -> None:
    bob, cem = here.approver(owner="Bob"), here.approver("cem", owner="Cem")
    for owner, approver in (("Ana", bob), ("Ana", cem), ("Eli", bob)):
        here.decide(approver, _waiting(here, owner=owner), Choice.APPROVE)
    assert [(one.asker, one.approver) for one in _decided(here, VoteFilter("Ana", "Bob"))] == [("Ana", "Bob")]
    assert len(_decided(here, VoteFilter(approver="Bob"))) == 2
    early = here.app.audit_reports.period(None, datetime(2020, 1, 1, tzinfo=UTC))
    assert here.app.audit_reports.decided(here.environment, early, ALL, at_most=5).lines == ()


def test_a_pairs_money_is_what_stands_approved_and_no_refund_is_counted_twice(here: World) -> None:
    """Approved, undone, approved: one refund. Nor does an approval count that was outdated before others had approved."""
    bob, cem = here.approver(owner="Bob"), here.approver("cem", owner="Cem")
    request = _waiting(here)
    here.decide(bob, request, Choice.APPROVE)
    here.app.decide_hold.take_back(bob, request.hold or "", fresh_key("undo"))
    assert _pairs(here) == [Pair("Ana", "Bob", 0, 0, {})]
    here.decide(bob, here.now(request), Choice.APPROVE)
    assert _pairs(here) == [Pair("Ana", "Bob", 1, 0, {"usd": 700})]
    a_rule(here, quorum=2)
    less = _waiting(here)
    here.decide(bob, less, Choice.APPROVE)
    here.decide(cem, here.now(less), Choice.APPROVE_LESS, amount=300)
    assert _pairs(here) == [
        Pair("Ana", "Bob", 1, 0, {"usd": 700}),
        Pair("Ana", "Cem", 1, 0, {"usd": 300}),
    ]
    here.decide(bob, here.now(less), Choice.REJECT)
    assert _pairs(here)[0] == Pair("Ana", "Bob", 1, 1, {"usd": 700})


def test_a_report_says_when_it_is_not_whole(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reports, period = here.app.audit_reports, _period(here)
    for _ in range(3):
        here.limit(1000)
    changes = reports.limit_changes(here.environment, _period(here), at_most=3)
    assert (len(changes.lines), changes.whole) == (3, False)
    assert reports.limit_changes(here.environment, _period(here), at_most=4).whole
    monkeypatch.setattr(audit_reports, "LOOKED_THROUGH", 2)
    stopped = reports.limit_changes(here.environment, _period(here), at_most=4)
    assert (len(stopped.lines), stopped.whole) == (2, False)
    assert stopped.looked_from == stopped.lines[-1].at, "what is older was not looked at"
    assert changes.looked_from is None, "more lines were found than were wanted"
    assert reports.decided(here.environment, period, ALL, at_most=1).whole


def test_rows_are_read_page_by_page_and_each_once(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_reports, "AT_ONCE", 2)
    for _ in range(4):
        here.limit(1000)
    found = here.app.audit_reports.limit_changes(here.environment, _period(here), at_most=50).lines
    numbers = [row.seq for row in found]
    assert len(numbers) == len(set(numbers)) == 5
    assert numbers == sorted(numbers, reverse=True)


def test_a_period_that_ends_before_it_begins_is_refused(here: World) -> None:
    now = here.app.store.now()
    with pytest.raises(Invalid, match="ends before it begins"):
        here.app.audit_reports.period(now, now - MINUTE)


@pytest.mark.parametrize(
    ("instant", "zone", "is_outside"),
    [
        ("2031-03-07T12:00:00+00:00", "UTC", False),
        ("2031-03-08T12:00:00+00:00", "UTC", True),
        ("2031-03-07T19:00:00+00:00", "UTC", True),
        ("2031-03-07T19:00:00+00:00", "America/New_York", False),
    ],
    ids=["on Friday at noon", "on Saturday at noon", "on Friday evening", "which is afternoon in New York"],
)
def test_what_is_decided_at_night_and_on_weekends_is_out_of_hours(
    here: World, instant: str, zone: str, is_outside: bool
) -> None:
    here.travel_to(instant)
    limit = here.limit(1000)
    hours = replace(OFFICE_HOURS, time_zone=zone)
    found = here.app.audit_reports.out_of_hours(here.environment, _period(here), hours, at_most=50).lines
    assert (limit.id in {row.entry.object for row in found}) is is_outside


def test_whoever_is_let_in_again_at_night_is_out_of_hours(here: World) -> None:
    here.travel_to("2031-03-07T23:00:00+00:00")
    Staff(here).person("ben", Role.APPROVER)
    here.app.people.manage.disable("ben")
    here.app.people.manage.enable("ben")
    found = here.app.audit_reports.out_of_hours(here.environment, _period(here), OFFICE_HOURS, at_most=50)
    assert {"person.disabled", "person.enabled"} <= {row.entry.action for row in found.lines}


def _overridden(world: World) -> list[tuple[str, str]]:
    found = world.app.audit_reports.overrides(world.environment, _period(world), at_most=50).lines
    return [(row.entry.action, row.entry.object) for row in found]


def test_an_approval_against_a_warning_is_an_override_and_another_is_not(
    here: World, provider: FakeProvider
) -> None:
    bob = here.approver(owner="Bob")
    here.decide(bob, _waiting(here), Choice.APPROVE)
    warned = []
    for choice in (Choice.APPROVE, Choice.REJECT):
        payment = here.payment()
        provider.dispute(payment, Dispute.INQUIRY)
        request = here.request(here.caller(owner="Ana"), payment, 700)
        warned.append(here.decide(bob, request, choice))
    assert _overridden(here) == [("hold.decided", warned[0].id)]


def test_what_two_people_said_of_a_doubt_is_an_override(
    new_world: Callable[..., World], provider: FakeProvider
) -> None:
    world = new_world(provider=provider)
    world.limit(2000)
    request = in_doubt(world, provider)
    second = world.caller(Role.OPERATOR, "second", kind=Kind.HUMAN)
    for person in (world.operator, second):
        world.resolve(person, request, Ending.FAILED)
    assert _overridden(world) == [("refund_request.resolved", request.id)]


@pytest.mark.parametrize(
    ("before", "after", "is_one"),
    [
        ({}, {"mode": Mode.OBSERVE}, True),
        ({"raises_need_two": True}, {"raises_need_two": False}, True),
        ({}, {"raises_need_two": True}, False),
        ({"mode": Mode.OBSERVE}, {"mode": Mode.ENFORCE}, False),
        ({"prove_above": {"usd": 500}}, {"prove_above": {}}, True),
        ({"type_above": {"usd": 500}}, {"type_above": {"usd": 501}}, True),
        ({"prove_above": {}, "type_above": {}}, {"prove_above": {"usd": 500}}, False),
    ],
)
def test_letting_go_of_what_blocks_is_an_override_and_holding_tighter_is_none(
    here: World, before: dict[str, Any], after: dict[str, Any], is_one: bool
) -> None:
    def change(fields: dict[str, Any]) -> None:
        environment = here.app.queries.environment(here.operator)
        draft = EnvironmentDraft(
            **{name: getattr(environment, name) for name in EnvironmentDraft.__dataclass_fields__} | fields
        )
        here.app.change_environment(host(here.environment), draft, environment.revision)

    change(before)
    count = len(_overridden(here))
    change(after)
    assert len(_overridden(here)) - count == int(is_one)
