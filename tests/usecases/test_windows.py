"""When a limit's usage starts over, and where a hold belongs. The development clock moves every process at once."""

from collections.abc import Callable

import pytest

from governor.domain.approval import Choice
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest
from governor.domain.windows import WindowKind
from governor.usecases.callers import Caller
from tests.builders import World


@pytest.fixture
def clocked(new_world: Callable[..., World]) -> World:
    return new_world(clock=True)


@pytest.fixture
def agent(clocked: World) -> Caller:
    return clocked.caller()


def _ask_at(world: World, agent: Caller, instant: str, amount: int) -> RefundRequest:
    world.travel_to(instant)
    return world.request(agent, world.payment(5000), amount)


def _books(world: World, limit: Limit) -> list[tuple[int, int]]:
    """Settled and reserved of each window, newest first."""
    shown = world.app.queries.counters(world.operator, limit.id)
    return [(counter.row.settled, counter.row.reserved) for counter in shown]


DAYS = [
    # zone, the day's first and last moments, the next day's first; one has 25 hours, one 23, one +08:00
    ("Europe/Berlin", "2027-10-31T00:00:01+02:00", "2027-10-31T23:59:40+01:00", "2027-11-01T00:00:01+01:00"),
    ("Europe/Berlin", "2027-03-28T00:00:01+01:00", "2027-03-28T23:59:40+02:00", "2027-03-29T00:00:01+02:00"),
    ("Asia/Shanghai", "2027-05-05T00:00:01+08:00", "2027-05-05T23:59:40+08:00", "2027-05-06T00:00:01+08:00"),
    ("UTC", "2027-02-28T00:00:01+00:00", "2027-02-28T23:59:40+00:00", "2027-03-01T00:00:01+00:00"),
]


@pytest.mark.parametrize(("zone", "first", "last", "next_day"), DAYS)
def test_a_day_is_a_local_day_however_many_hours_it_has(
    clocked: World, agent: Caller, zone: str, first: str, last: str, next_day: str
) -> None:
    """Cases 89, 91."""
    clocked.travel_to(first)
    clocked.limit(1000, zone=zone)
    assert _ask_at(clocked, agent, first, 1000).state is State.QUEUED
    full = _ask_at(clocked, agent, last, 1)
    assert full.state is State.DENIED
    assert full.limits[0]["time_zone"] == zone
    assert full.next_action == "wait_until"
    assert full.next_action_at is not None
    assert 0 < (full.next_action_at - full.created_at).total_seconds() <= 20
    assert _ask_at(clocked, agent, next_day, 1000).state is State.QUEUED


@pytest.mark.parametrize("settles", [True, False])
def test_a_hold_made_before_midnight_belongs_to_yesterday(
    clocked: World, agent: Caller, settles: bool
) -> None:
    """Invariant 9, RELIABILITY F8: settled or released after midnight, it touches yesterday's window only."""
    clocked.travel_to("2027-05-05T23:59:30+00:00")
    limit = clocked.limit(2000, approval_above=1000)
    waits = clocked.request(agent, clocked.payment(5000), 1500)
    today = _ask_at(clocked, agent, "2027-05-06T00:10:00+00:00", 800)
    assert _books(clocked, limit) == [(0, 800), (0, 1500)]
    clocked.decide(clocked.approver(), waits, Choice.APPROVE if settles else Choice.REJECT)
    clocked.drain(waits)
    assert _books(clocked, limit) == [(800, 0), (1500 if settles else 0, 0)]
    assert clocked.now(today).state is State.SUCCEEDED
    assert len(clocked.writes()) == (2 if settles else 1)


def test_a_month_starts_over_on_its_first_day(clocked: World, agent: Caller) -> None:
    clocked.travel_to("2027-01-31T10:00:00+00:00")
    clocked.limit(1000, window=WindowKind.MONTH)
    assert _ask_at(clocked, agent, "2027-01-31T10:00:00+00:00", 1000).state is State.QUEUED
    assert _ask_at(clocked, agent, "2027-01-31T23:59:30+00:00", 1).state is State.DENIED
    assert _ask_at(clocked, agent, "2027-02-01T00:00:01+00:00", 1000).state is State.QUEUED
    assert _ask_at(clocked, agent, "2027-02-28T12:00:00+00:00", 1).state is State.DENIED


def test_a_rolling_window_counts_its_days_and_forgets_the_oldest(clocked: World, agent: Caller) -> None:
    clocked.travel_to("2027-05-01T08:00:00+00:00")
    clocked.limit(1000, window=WindowKind.ROLLING, days=3)
    assert _ask_at(clocked, agent, "2027-05-01T08:00:00+00:00", 600).state is State.QUEUED
    assert _ask_at(clocked, agent, "2027-05-02T08:00:00+00:00", 300).state is State.QUEUED
    full = _ask_at(clocked, agent, "2027-05-03T23:59:30+00:00", 101)
    assert (full.state, full.limits[0]["headroom"]) == (State.DENIED, 100)
    assert full.next_action_at is not None
    assert full.next_action_at.isoformat() == "2027-05-04T00:00:00+00:00"
    assert _ask_at(clocked, agent, "2027-05-04T00:00:01+00:00", 700).state is State.QUEUED
    assert _ask_at(clocked, agent, "2027-05-04T12:00:00+00:00", 1).state is State.DENIED


def test_a_lifetime_never_starts_over(clocked: World, agent: Caller) -> None:
    clocked.limit(1000, window=WindowKind.LIFETIME)
    assert _ask_at(clocked, agent, "2027-05-01T08:00:00+00:00", 1000).state is State.QUEUED
    assert _ask_at(clocked, agent, "2035-05-01T08:00:00+00:00", 1).state is State.DENIED


def test_a_request_window_judges_each_request_by_itself(clocked: World, agent: Caller) -> None:
    limit = clocked.limit(1000, window=WindowKind.REQUEST)
    states = [clocked.request(agent, clocked.payment(5000), amount).state for amount in (1000, 1000, 1001)]
    assert states == [State.QUEUED, State.QUEUED, State.DENIED]
    assert _books(clocked, limit) == []
