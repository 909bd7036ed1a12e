"""A relay that loses its database waits for it and goes on; no ring is lost and no supervisor is needed."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from redis import Redis

from adapters.queue.doorbell import QUEUE
from governor.bootstrap import Application
from governor.domain.errors import Unavailable
from tests.builders import World, close
from tests.proxy import Proxy
from tests.stack import PATIENCE_SECONDS, eventually
from workers import cron, relay


@pytest.fixture
def proxy(database_url: str) -> Iterator[Proxy]:
    with Proxy(database_url) as proxy:
        yield proxy


@pytest.fixture
def proxied(world: World, proxy: Proxy) -> Iterator[Application]:
    app = world.another_process(database_url=proxy.url)
    yield app
    close(app)


def _has_rung(world: World, times: int) -> bool:
    with Redis.from_url(world.redis_url) as connection:
        return bool(connection.llen(f"rq:queue:{QUEUE}") == times)


def test_a_relay_listens_again_after_its_connection_was_cut(
    world: World, proxied: Application, proxy: Proxy
) -> None:
    world.limit(10**6)
    agent, stop = world.caller(), threading.Event()
    running = threading.Thread(target=relay.run, args=(proxied, stop))
    running.start()
    try:
        for cuts in range(3):
            world.request(agent, world.payment(5000), 100)
            eventually(partial(_has_rung, world, cuts + 1))
            proxy.reset_all()
    finally:
        stop.set()
        running.join(timeout=PATIENCE_SECONDS)
    assert not running.is_alive()


def test_what_rings_says_that_the_database_is_away(world: World, proxied: Application, proxy: Proxy) -> None:
    """Each process's loop waits on `Unavailable` and on nothing else."""
    proxied.store.now()
    proxy.accepts = False
    proxy.reset_all()
    for once in (lambda: relay.run_once(proxied), lambda: cron.run_once(proxied, sweep=True)):
        with pytest.raises(Unavailable):
            once()
    with pytest.raises(Unavailable), proxied.outbox.bell():
        pass
    assert _has_rung(world, 0)
