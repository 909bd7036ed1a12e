"""A standby takes the place of its primary: what was acknowledged is there, and nothing is sent before people looked."""

from collections.abc import Callable, Mapping
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from adapters.sql import connection
from governor.domain.errors import Conflict, Unavailable
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World, ask, fresh_key
from tests.servers import crash, libpq
from tests.servers_die.load import under_load
from tests.stack import Stack, eventually
from tests.standby import Pair
from workers import cron

DATABASE = "template_migrated"
"""Nobody copies from this pair: its only migrated database is used itself."""
CLIENTS = 6


@pytest.fixture
def database_url(pair: Pair) -> str:
    """A database on the pair, wherever it takes writes."""
    return pair.url(DATABASE)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """A world whose clock can be moved."""
    return new_world(clock=True)


def _fail_over(pair: Pair) -> None:
    crash(pair.primary)
    pair.promote()


def _go_on(world: World) -> None:
    """An operator lets provider writes go on."""
    world.app.change_environment.acknowledge(world.operator, "looked")


def _told(world: World, action: str) -> list[Mapping[str, Any]]:
    """What the audit trail keeps of these actions."""
    with world.app.store.reading() as reads:
        trail = reads.audit(world.environment, after=0, at_most=1000)
    return [row.entry.facts for row in trail if row.entry.action == action]


def _has(pair: Pair, request: RefundRequest) -> bool:
    """Whether the standby knows of a request."""
    with psycopg.connect(libpq(pair.standby.url(DATABASE))) as session:
        found = session.execute("SELECT count(*) FROM refund_requests WHERE id = %s", [request.id])
        return found.fetchone() == (1,)


def _looked_after(world: World) -> None:
    """What cron and an operator do after the change, a minute and more later."""
    cron.run_once(world.app, sweep=True)
    with pytest.raises(Conflict) as refusal:
        _go_on(world)
    assert refusal.value.code == "sweep_needed"
    world.advance(61)
    cron.run_once(world.app, sweep=True)
    _go_on(world)


def test_a_restart_of_the_same_server_fences_nothing(world: World, pair: Pair) -> None:
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    crash(pair.primary)
    pair.primary.start()
    world.app.engine.dispose()
    cron.run_once(world.app, sweep=False)
    assert world.drain(request) == 1
    assert world.app.queries.environment(world.operator).stopped is None


def test_after_a_promotion_nothing_is_sent_until_the_provider_was_swept_and_somebody_says_so(
    world: World, pair: Pair
) -> None:
    """RELIABILITY J3, §0 row 6: a claim notices it; the fence holds although nobody but the claim looked."""
    limit = world.limit(2000)
    pair.follow(synchronously=True)
    request = world.request(world.caller(), world.payment(5000), 1500)
    _fail_over(pair)
    world.app.engine.dispose()
    assert world.drain(request) == 0
    environment = world.app.queries.environment(world.operator)
    assert (environment.stopped, environment.fenced_at is not None) == ("history_changed", True)
    _looked_after(world)
    assert (world.drain(request), world.headroom(limit)) == (1, 500)
    assert world.now(request).state is State.SUCCEEDED
    (fenced,) = _told(world, "environment.fenced")
    assert [str(fenced[when]).rsplit("/", 1)[1] for when in ("before", "now")] == ["00000001", "00000002"]


def test_a_claim_of_the_old_primary_is_not_sent_on_the_word_of_the_new_one(world: World, pair: Pair) -> None:
    """RELIABILITY J3, D4: between claim and gate the server changed; provably nothing was sent."""
    world.limit(2000)
    pair.follow(synchronously=True)
    request = world.request(world.caller(), world.payment(5000), 1500)
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    _fail_over(pair)
    world.app.engine.dispose()
    after = world.app.dispatch_refund.send(claim)
    assert (after.state, after.last_reason, world.writes()) == (State.QUEUED, "history_changed", [])
    _looked_after(world)
    assert (world.drain(request), len(world.writes())) == (1, 1)


def test_what_an_asynchronous_standby_has_forgotten_is_found_again_before_anything_is_sent(
    world: World, pair: Pair
) -> None:
    """RELIABILITY J4, J8: one refund whose reply is forgotten, one that is forgotten altogether."""
    world.database_forgets = True
    limit, agent = world.limit(10_000), world.caller()
    known = world.request(agent, world.payment(5000), 1500)
    eventually(lambda: _has(pair, known))
    pair.standby.stop()
    world.drain(known)
    forgotten = world.request(agent, world.payment(5000), 700)
    world.drain(forgotten)
    crash(pair.primary)
    pair.standby.start()
    pair.promote()
    world.app.engine.dispose()
    assert world.now(known).state is State.QUEUED
    assert world.drain(known) == 0
    _looked_after(world)
    assert world.now(known).state is State.SUCCEEDED
    assert world.headroom(limit) == 10_000 - 1500 - 700
    assert world.drain(known) == 0
    assert len(world.writes()) == 2


def test_under_load_every_acknowledged_decision_is_there_and_the_fence_holds(
    world: World, pair: Pair, stack_of: Callable[..., Stack]
) -> None:
    """Cases 25 and 84, RELIABILITY J3: real processes, none of which is started again."""
    world.limit(10**9)
    pair.follow(synchronously=True)
    stack = stack_of(world)
    stack.start("web", "relay", "worker", "cron")
    with under_load(world, stack) as load:
        load.until_acknowledged(50)
        eventually(lambda: len(world.writes()) >= 5, lambda: stack.said("worker"))
        _fail_over(pair)
        load.until_acknowledged(50)
    assert load.refusals, "nobody noticed that the primary was gone"
    world.app.engine.dispose()
    recorded = _recorded(pair)
    assert set(load.acknowledged) <= recorded
    eventually(lambda: world.app.queries.environment(world.operator).stopped == "history_changed")
    sent = len(world.writes())
    assert sent < len(recorded)
    _looked_after(world)
    assert len(world.writes()) == sent, "something was sent behind the fence"
    cron.run_once(world.app, sweep=True)
    eventually(lambda: len(world.writes()) == len(recorded), lambda: stack.said("worker"))


def _recorded(pair: Pair) -> set[str]:
    with psycopg.connect(libpq(pair.standby.url(DATABASE))) as session:
        return {str(row[0]) for row in session.execute("SELECT id FROM refund_requests")}


def test_an_old_primary_that_comes_back_decides_and_sends_nothing(
    world: World, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RELIABILITY J7: it takes writes again and comes first in the URL; without its standby it confirms none."""
    world.limit(2000)
    agent = world.caller()
    pair.follow(synchronously=True)
    request = world.request(agent, world.payment(5000), 1500)
    _fail_over(pair)
    pair.primary.start()
    world.app.engine.dispose()
    monkeypatch.setattr(connection, "COMMIT_SECONDS", 0.5)
    with pytest.raises(Unavailable):
        world.answer(agent, ask(world.payment(5000), 100), fresh_key())
    with pytest.raises(Unavailable):
        world.drain(request)
    assert world.writes() == []
    crash(pair.primary)
    world.app.engine.dispose()
    assert world.drain(request) == 0


def test_an_operator_fences_what_looks_like_the_same_server(new_world: Callable[..., World]) -> None:
    """RELIABILITY J8: a snapshot put back has the same history; one statement of the operations page says otherwise."""
    world = new_world(clock=True)
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    with world.app.engine.begin() as connection:
        connection.execute(text("UPDATE environments SET history = 'put back'"))
    cron.run_once(world.app, sweep=False)
    assert world.app.queries.environment(world.operator).stopped == "history_changed"
    assert world.drain(request) == 0
    _looked_after(world)
    assert world.drain(request) == 1
