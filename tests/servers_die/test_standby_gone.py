"""The synchronous standby is gone: commits wait for ever at the server, and nobody waits for ever here."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest
from sqlalchemy import make_url

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql import connection
from governor.domain.admission import Ask
from governor.domain.credentials import Role
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from tests.builders import World, ask, fresh_key
from tests.journeys.test_dying_web import PATH
from tests.races.at_once import at_once
from tests.servers import fresh_database
from tests.stack import PATIENCE_SECONDS, Stack, eventually
from tests.standby import Pair, asked, pair_of_servers
from tests.twin import Twin
from workers import cron

CLIENTS = 12
END_ALL_WAITS = "SELECT {}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def pair(
    postgres_server: EmbeddedPostgres, migrated_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """One pair for all stories: each leaves both of them running."""
    assert migrated_template
    with pair_of_servers(postgres_server, tmp_path_factory.mktemp("pair")) as pair:
        yield pair


@pytest.fixture
def database_url(pair: Pair, migrated_template: str) -> Iterator[str]:
    """A database on the pair, wherever it takes writes; before it is dropped nobody waits for the standby any more."""
    with fresh_database(pair.primary, migrated_template) as url:
        yield pair.url(str(make_url(url).database))
        pair.standby.start()
        pair.follow(synchronously=False)


@pytest.fixture
def world(pair: Pair, new_world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose commits wait for the standby, for as long as a slow machine needs."""
    monkeypatch.setattr(connection, "COMMIT_SECONDS", PATIENCE_SECONDS)
    world = new_world(clock=True)
    pair.follow(synchronously=True)
    return world


@contextmanager
def _gone(pair: Pair, seconds: float = 0.5) -> Iterator[None]:
    """Meanwhile there is no standby, and commits wait for it only so long."""
    pair.standby.stop()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connection, "COMMIT_SECONDS", seconds)
        try:
            yield
        finally:
            pair.standby.start()


def _in_vain(
    world: World, request: RefundRequest, deed: Callable[[], object], seen: tuple[State, int]
) -> None:
    """It is refused, and what it did can be seen here; where a slow machine's time was over before, it did nothing yet."""

    def done() -> bool:
        with pytest.raises(Unavailable):
            deed()
        now = world.now(request)
        return (now.state, now.attempts) == seen

    eventually(done)


def _outcome(world: World, agent: Caller, wish: Ask, key: str) -> str:
    try:
        return world.answer(agent, wish, key).request.state.value
    except Unavailable as error:
        return error.code


def _waiting_for_the_standby(pair: Pair) -> int:
    return len(asked(pair.primary, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))


def test_nothing_is_acknowledged_and_nobody_is_kept_while_the_standby_is_gone(
    world: World, pair: Pair
) -> None:
    """RELIABILITY J5, J6, case 25: 503 for an admission, a denial and a repeated key; afterwards each key is decided once."""
    limit = world.limit(10 * 1000)
    agent = world.caller()
    wishes = {fresh_key(): ask(world.payment(5000), 1000) for _ in range(CLIENTS)}
    before = threading.active_count()
    deeds = [partial(_outcome, world, agent, wish, key) for key, wish in wishes.items()]
    with _gone(pair):
        assert Counter(at_once(deeds)) == {"decision_not_recorded": CLIENTS}
        # What was committed before its wait was called off can be seen here. Nobody may be told of it yet.
        assert Counter(at_once(deeds)) == {"decision_not_recorded": CLIENTS}
        assert threading.active_count() == before
        eventually(lambda: _waiting_for_the_standby(pair) == 0)
    assert Counter(at_once(deeds)) == {"queued": 10, "denied": 2}
    assert world.headroom(limit) == 0


@pytest.mark.parametrize("word", ["pg_cancel_backend", "pg_terminate_backend"])
def test_a_wait_that_somebody_ended_is_no_answer(world: World, pair: Pair, word: str) -> None:
    """RELIABILITY A17, J2, J6: the commit "succeeds", or its connection ends; what is there is not on the standby."""
    limit, agent, payment = world.limit(2000), world.caller(), world.payment(5000)
    world.request(agent, payment, 1)
    wish, key = ask(payment, 1500), fresh_key()
    with _gone(pair, PATIENCE_SECONDS), ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(_outcome, world, agent, wish, key)

        def ended() -> bool:
            """Whoever lost its connection asks and waits again."""
            asked(pair.primary, END_ALL_WAITS.format(word))
            return outcome.done()

        eventually(lambda: _waiting_for_the_standby(pair) == 1)
        eventually(ended)
        assert outcome.result() == "decision_not_recorded"
        assert world.headroom(limit) == 499
    assert _outcome(world, agent, wish, key) == "queued"


def test_a_claim_that_is_not_on_the_standby_sends_nothing(world: World, pair: Pair, twin: Twin) -> None:
    """RELIABILITY J6, D3: dispatch halts by itself, and goes on by itself when commits are sure again."""
    world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    with _gone(pair):
        _in_vain(world, request, partial(world.drain, request), (State.DISPATCHING, 1))
        world.advance(61)
        _in_vain(world, request, partial(cron.run_once, world.app, sweep=False), (State.UNKNOWN, 1))
        world.advance(3600)
        recover = partial(world.app.recover_refund, world.environment)
        _in_vain(world, request, recover, (State.DISPATCHING, 2))
        assert "POST" not in {call["method"] for call in twin.calls()}
    world.advance(3600 * 2)
    cron.run_once(world.app, sweep=False)
    world.advance(3600 * 3)
    world.drain(request)
    assert world.now(request).state is State.SUCCEEDED
    assert [write["amount"] for write in world.writes()] == [1500]


def test_the_web_process_answers_all_the_while(
    pair: Pair, new_world: Callable[..., World], stack_of: Callable[..., Stack]
) -> None:
    """RELIABILITY J5: as many clients as there are threads, twice over; reads and the next request are served."""
    world = new_world()
    world.limit(10**6)
    key, payment = world.key(Role.AGENT), world.payment(5000)
    stack = stack_of(world)
    stack.start("web")
    pair.follow(synchronously=True)
    pair.standby.stop()

    def ask_over_http(number: int) -> int:
        sent = {"payment": payment, "amount": 100 + number, "currency": "usd"}
        return stack.call("POST", PATH, key, sent, **{"Idempotency-Key": f"standby-{number:04d}"})[0]

    clients = [partial(ask_over_http, number) for number in range(32)]
    assert set(at_once(clients)) == {503}
    assert stack.call("GET", "/livez", "")[0] == 200
    assert stack.call("GET", PATH, key)[0] == 200
    pair.standby.start()
    pair.follow(synchronously=True)
    assert Counter(at_once(clients)) == {202: 32}
