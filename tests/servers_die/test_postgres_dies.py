"""PostgreSQL is killed under load, or its sessions are: what was acknowledged is there, and every process goes on."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import psycopg
import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from tests.builders import World, close
from tests.messages.steps import listen
from tests.receiver import Receiver
from tests.servers import crash, libpq
from tests.servers_die.load import under_load
from tests.stack import Stack, eventually
from tests.standby import mortal_server, order
from workers import cron

PROCESSES = ("web", "relay", "worker", "cron", "messenger")
SUCCEEDED = "refund_request.succeeded"
TIMES = 3
LATER = count(10, 10)


@pytest.fixture
def server(
    postgres_server: EmbeddedPostgres, migrated_template: str, tmp_path: Path
) -> Iterator[EmbeddedPostgres]:
    """A server of this test's own."""
    assert migrated_template
    with mortal_server(postgres_server, tmp_path / "mortal") as server:
        yield server


@pytest.fixture
def database_url(server: EmbeddedPostgres, migrated_template: str) -> str:
    """Nobody copies from this server: its only migrated database is used itself."""
    return server.url(migrated_template)


def _kill_the_server(server: EmbeddedPostgres) -> None:
    crash(server)
    server.start()


def _end_every_session(server: EmbeddedPostgres) -> None:
    order(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'governor'")


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """A world whose clock can be moved, so that nobody waits for a lease to end, and that tells this machine of it."""
    world = new_world(clock=True)
    close(world.app)
    world.app = world.another_process(loopback_endpoints=True)
    return world


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Somebody else's server, which is told what becomes of refunds."""
    with Receiver() as running:
        yield running


@pytest.mark.parametrize("strike", [_kill_the_server, _end_every_session])
def test_nothing_acknowledged_is_lost_and_nobody_is_started_again(
    world: World,
    server: EmbeddedPostgres,
    receiver: Receiver,
    stack_of: Callable[..., Stack],
    strike: Callable[[EmbeddedPostgres], None],
) -> None:
    """Cases 7 and 25, RELIABILITY J1, J2: in the middle of decisions, claims, calls, evidence and telling of it."""
    world.limit(10**9)
    listen(world, receiver, SUCCEEDED)
    stack = stack_of(world)
    stack.start(*PROCESSES)
    with under_load(world, stack) as load:
        for _ in range(TIMES):
            before = len(world.writes())
            load.until_acknowledged(20)
            eventually(partial(_more_writes, world, before), lambda: stack.said("worker"))
            strike(server)
        load.until_acknowledged(20)
    assert load.refusals, "nobody noticed anything"
    assert all(map(stack.lives, PROCESSES))
    with psycopg.connect(libpq(world.database_url)) as session:
        recorded = {str(row[0]) for row in session.execute("SELECT id FROM refund_requests")}
    assert set(load.acknowledged) <= recorded
    world.app.engine.dispose()
    eventually(partial(_all_explained, world, len(recorded)), lambda: stack.said("worker"))
    assert world.app.queries.environment(world.operator).stopped is None
    eventually(lambda: _told(receiver) == recorded, lambda: stack.said("messenger"))
    assert stack.lives("messenger")


def _told(receiver: Receiver) -> set[str]:
    """The requests of whose end the receiver has heard, in whichever try."""
    return {call.json["data"]["id"] for call in receiver.calls if call.json["type"] == SUCCEEDED}


def _more_writes(world: World, before: int) -> bool:
    return len(world.writes()) > before


def _all_explained(world: World, requests: int) -> bool:
    """Nothing is open any more; who was struck in the middle is recovered when the lease is over."""
    with psycopg.connect(libpq(world.database_url)) as session:
        row = session.execute("SELECT count(*) FROM refund_requests WHERE state = 'succeeded'").fetchone()
    if row == (requests,):
        return True
    world.advance(next(LATER))
    cron.run_once(world.app, sweep=True)
    return False
