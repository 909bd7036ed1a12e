"""The doorbell rings too often, too rarely or for nothing, and workers meet: each refund is sent once."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from redis import Redis

from adapters.queue.doorbell import queue_on
from governor.bootstrap import Application
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from tests.builders import World, close
from tests.proxy import Proxy
from tests.races.at_once import at_once
from workers import cron, relay
from workers.drain import drain


@pytest.fixture
def redis_proxy(redis_url: str) -> Iterator[Proxy]:
    with Proxy(redis_url) as proxy:
        yield proxy


@pytest.fixture
def other(world: World) -> Iterator[Application]:
    """Another process's application."""
    app = world.another_process()
    yield app
    close(app)


def _rung(redis_url: str) -> list[str]:
    """The requests that the queue holds jobs for."""
    with Redis.from_url(redis_url) as connection:
        return [job.args[0] for job in queue_on(connection).jobs]


def test_duplicate_jobs_executed_at_once_are_one_refund(world: World, other: Application) -> None:
    """Cases 3, 83; RELIABILITY C14, D5: the same job body three times in two processes."""
    world.limit(10**6)
    agent = world.caller()
    for _ in range(10):
        request = world.request(agent, world.payment(5000), 1500)
        sent = at_once([partial(drain, app, request.id) for app in (world.app, other, world.app)])
        assert sorted(sent) == [0, 0, 1]
    assert len(world.writes()) == 10


def test_many_claims_at_once_take_each_request_once(world: World, other: Application) -> None:
    """RELIABILITY D5."""
    world.limit(10**6)
    agent = world.caller()
    ids = {world.request(agent, world.payment(5000), 100).id for _ in range(20)}
    claims = at_once([partial(app.dispatch_refund.claim, "test", 5) for app in (world.app, other) * 4])
    claimed = Counter(claim.request.id for batch in claims for claim in batch)
    assert set(claimed) == ids
    assert set(claimed.values()) == {1}


def test_one_payment_has_one_call_in_flight(world: World) -> None:
    world.limit(10**6)
    agent, payment = world.caller(), world.payment(5000)
    requests = [world.request(agent, payment, amount) for amount in (100, 200, 300)]
    (claim,) = world.app.dispatch_refund.claim("test", 10)
    assert world.app.dispatch_refund.claim("test", 10) == []
    world.app.dispatch_refund.send(claim)
    world.drain(requests[0])
    assert sorted(write["amount"] for write in world.writes()) == [100, 200, 300]


def test_a_ring_for_nothing_does_nothing(world: World) -> None:
    """RELIABILITY C10, C15: an invented request, one that is final, one that was denied."""
    world.limit(2000)
    agent = world.caller()
    done = world.request(agent, world.payment(5000), 1500)
    denied = world.request(agent, world.payment(5000), 1500)
    world.drain(done)
    for request_id in ("rr_" + "0" * 26, done.id, denied.id):
        assert drain(world.app, request_id) == 0
    assert len(world.writes()) == 1


def test_a_ring_whose_reply_was_lost_rings_twice_and_sends_once(world: World, redis_proxy: Proxy) -> None:
    """Case 85, RELIABILITY C3: the job is queued, the relay heard an error, so the row stays and rings again."""
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    app = world.another_process(redis_url=redis_proxy.url)
    try:
        redis_proxy.cut_answer_to(b"RPUSH", after=0)
        with pytest.raises(Unavailable):
            relay.run_once(app)
        assert redis_proxy.cuts == 1
        assert relay.run_once(app) == 1
        assert relay.run_once(app) == 0
    finally:
        close(app)
    assert _rung(world.redis_url) == [request.id, request.id]
    assert [world.drain(request), world.drain(request)] == [1, 0]


def test_nobody_is_refused_because_the_queue_is_down(world: World, redis_proxy: Proxy) -> None:
    """RELIABILITY C6: admitted and held; the row waits in the database; readiness says what is wrong."""
    world.limit(2000)
    app = world.another_process(redis_url=redis_proxy.url)
    try:
        redis_proxy.accepts = False
        request = world.request(world.caller(), world.payment(5000), 1500, app=app)
        assert request.state is State.QUEUED
        with pytest.raises(Unavailable):
            relay.run_once(app)
        assert app.ready() == {"database": True, "migrations": True, "outbox": True, "redis": False}
        redis_proxy.accepts = True
        assert relay.run_once(app) == 1
        assert app.ready()["redis"]
    finally:
        close(app)
    assert _rung(world.redis_url) == [request.id]


def test_two_relays_share_the_rows(world: World, other: Application) -> None:
    """RELIABILITY C12: every row is rung for by one of them; a ring too many would do no harm."""
    world.limit(10**6)
    agent = world.caller()
    for _ in range(10):
        world.request(agent, world.payment(5000), 100)
    rung = at_once([partial(relay.run_once, app) for app in (world.app, other)])
    assert sum(rung) == 10
    assert len(_rung(world.redis_url)) in {1, 2}


def test_a_sweep_rings_for_what_redis_forgot(world: World) -> None:
    """Case 84, RELIABILITY C5, C7: FLUSHALL between the ring and the worker."""
    world.limit(10**6)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 100) for _ in range(5)]
    relay.run_once(world.app)
    with Redis.from_url(world.redis_url) as connection:
        connection.flushall()
    assert relay.run_once(world.app) == 0, "the outbox has done its part"
    cron.run_once(world.app, sweep=True)
    (again,) = _rung(world.redis_url)
    assert drain(world.app, again) == 5
    cron.run_once(world.app, sweep=True)
    assert _rung(world.redis_url) == [again], "what is done is not rung for"
    assert {world.now(request).state for request in requests} == {State.SUCCEEDED}


def test_two_sweepers_book_a_lost_lease_once(new_world: Callable[..., World]) -> None:
    """RELIABILITY C20: two cron processes on the same lease that ran out; its hold stays."""
    world = new_world(clock=True)
    other = world.another_process()
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    world.app.dispatch_refund.claim("test", 1)
    cron.run_once(world.app, sweep=False)
    assert world.now(request).state is State.DISPATCHING, "the lease is still good"
    world.advance(61)
    try:
        at_once([partial(cron.run_once, app, sweep=True) for app in (world.app, other)])
    finally:
        close(other)
    assert (world.now(request).state, world.headroom(limit)) == (State.UNKNOWN, 500)
    with world.app.store.reading() as reads:
        trail = [row.entry.action for row in reads.audit("test", after=0, at_most=100)]
    assert trail.count("refund_request.lease_lost") == 1
