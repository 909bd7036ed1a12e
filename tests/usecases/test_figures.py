"""What is counted for those who watch is what the books have, as far as it was asked for."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from adapters.sql.figures import SqlFigures
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome, Reply
from governor.domain.provider_health import Unread
from tests.builders import World
from tests.fakes.provider import FakeProvider

HOUR = timedelta(hours=1)


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def world(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider, clock=True)


@pytest.fixture
def figures(world: World) -> SqlFigures:
    return SqlFigures(world.app.engine)


def test_requests_are_counted_by_hour_state_and_whether_they_were_held(
    world: World, figures: SqlFigures
) -> None:
    world.limit(2000, approval_above=500)
    agent, begun = world.caller(), world.app.store.now()
    for amount in (100, 600, 5000):
        world.request(agent, world.payment(5000), amount)
    world.advance(3600)
    world.request(agent, world.payment(5000), 100)
    found = figures.asked("test", begun - HOUR, at_most=100)
    told = sorted((one.state.value, one.held, one.count) for one in found)
    assert told == [
        ("denied", False, 1),
        ("expired", True, 1),
        ("queued", False, 1),
        ("queued", False, 1),
    ]
    assert len({one.hour for one in found}) == 2
    assert all((one.hour.minute, one.hour.second) == (0, 0) for one in found)
    assert sum(one.count for one in figures.asked("test", begun + HOUR / 2, at_most=100)) == 1
    assert sum(one.count for one in figures.asked("test", begun - HOUR, at_most=3)) == 3
    assert figures.asked("elsewhere", begun - HOUR, at_most=100) == ()


def test_what_waits_is_counted_with_since_when(world: World, figures: SqlFigures) -> None:
    assert set(vars(figures.depth("test", counted=10)).values()) == {0, None}
    world.limit(2000, approval_above=400)
    agent = world.caller()
    first, *_, held = [world.request(agent, world.payment(5000), 100) for _ in range(4)] + [
        world.request(agent, world.payment(5000), 500)
    ]
    world.app.dispatch_refund.claim("test", 1)
    depth = figures.depth("test", counted=10)
    assert (depth.queued, depth.sending, depth.for_approval) == (3, 1, 1)
    assert depth.first_due_at is not None
    assert depth.first_due_at > first.created_at
    assert depth.oldest_asked_at == held.created_at
    assert figures.depth("test", counted=1).queued == 1


def test_calls_are_counted_by_what_they_prove_and_why(
    world: World, figures: SqlFigures, provider: FakeProvider
) -> None:
    world.limit(2000)
    begun = world.app.store.now()
    assert figures.calls("test", begun - HOUR, at_most=10).since is None
    for reply in (
        None,
        Reply(Outcome.REJECTED, "charge_disputed", 400),
        Reply(Outcome.UNKNOWN, "read_timeout"),
    ):
        if reply is not None:
            provider.answer_next(reply)
        world.drain(world.request(world.caller(), world.payment(5000), 100))
    calls = figures.calls("test", begun - HOUR, at_most=10)
    assert {(one.outcome, one.reason): one.count for one in calls.counts} == {
        (Outcome.ACCEPTED, "refund_succeeded"): 1,
        (Outcome.REJECTED, "charge_disputed"): 1,
        (Outcome.UNKNOWN, "read_timeout"): 1,
    }
    assert calls.since is not None
    assert calls.since >= begun
    assert figures.calls("test", begun - HOUR, at_most=1).total == 1
    assert figures.calls("test", world.app.store.now(), at_most=10).total == 0


def test_the_last_webhook_is_found_and_polled_events_are_none(world: World, figures: SqlFigures) -> None:
    assert figures.webhook_at("test") is None
    insert = text(
        "INSERT INTO provider_events (environment, id, type, happened_at, received_at, via, digest, due_at, tries)"
        " VALUES ('test', :id, 'refund.updated', now(), CAST(:at AS timestamptz), :via, repeat('0', 64), now(), 7)"
    )
    with world.app.engine.begin() as connection:
        for number, via in enumerate(("webhook", "webhook", "poll")):
            at = f"2026-11-{10 + number}T00:00:00Z"
            connection.execute(insert, {"id": f"evt_{number}", "at": at, "via": via})
    seen = figures.webhook_at("test")
    assert seen is not None
    assert seen.isoformat() == "2026-11-11T00:00:00+00:00"
    unread = world.app.oversight.provider.unread("test")
    assert (unread.count, unread.since is not None) == (3, True)
    assert unread != Unread(3, None)


def test_the_health_of_the_provider_is_told_without_asking_it(world: World, provider: FakeProvider) -> None:
    world.limit(2000)
    world.drain(world.request(world.caller(), world.payment(5000), 100))
    world.app.catch_up.events("test")
    asked = len(provider.calls)
    world.advance(3 * world.app.catch_up.events_every.total_seconds() + 60)
    health = world.app.oversight.provider("test")
    assert [(walk.list, walk.is_late, walk.walked_at is None) for walk in health.walks] == [
        ("events", True, False),
        ("refunds", False, True),
    ]
    assert health.calls.of(Outcome.ACCEPTED) == 1
    assert len(provider.calls) == asked
    day = world.app.oversight.last_day(world.operator)
    assert day.total == 1
    assert sum(counts[State.SUCCEEDED] for counts in day.hours.values()) == 1
