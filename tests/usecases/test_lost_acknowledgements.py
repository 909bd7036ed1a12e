"""A connection that dies around a commit: nobody guesses what became of it."""

from collections.abc import Iterator

import pytest

from governor.bootstrap import Application
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from tests.builders import World, ask, close, fresh_key
from tests.proxy import Proxy
from workers.drain import drain

COMMIT = b"COMMIT\0"
ANSWER_BYTES = 18
"""PostgreSQL's answer to COMMIT: `CommandComplete` (12) and `ReadyForQuery` (6)."""


@pytest.fixture
def proxy(database_url: str) -> Iterator[Proxy]:
    with Proxy(database_url) as proxy:
        yield proxy


@pytest.fixture
def proxied(world: World, proxy: Proxy) -> Iterator[Application]:
    """Another process's application, whose database connections go through the proxy."""
    app = world.another_process(database_url=proxy.url)
    yield app
    close(app)


def test_an_acknowledgement_lost_at_any_byte_changes_no_decision(
    world: World, proxied: Application, proxy: Proxy
) -> None:
    """RELIABILITY A17, cases 7 and 25: the answer is looked up, and the same key names the same request."""
    world.limit(10**6)
    agent, payment = world.caller(), world.payment(10000)
    asked = [ask(payment, 10 + byte) for byte in range(ANSWER_BYTES)]
    first = world.request(agent, payment, 1)
    for byte in range(ANSWER_BYTES):
        key = fresh_key()
        proxy.cut_answer_to(COMMIT, after=byte)
        answer = world.answer(agent, asked[byte], key, app=proxied)
        assert (proxy.cuts, answer.request.state) == (byte + 1, State.QUEUED)
        again = world.answer(agent, asked[byte], key)
        assert (again.replayed, again.request) == (True, answer.request)
    world.drain(first)
    amounts = sorted(write["amount"] for write in world.writes())
    assert amounts == [1, *range(10, 10 + ANSWER_BYTES)]


@pytest.mark.parametrize("room", [2000, 100])
def test_whoever_cannot_look_says_so_and_the_key_tells_it_later(
    world: World, proxied: Application, proxy: Proxy, room: int
) -> None:
    """The database is gone right after the commit: 503 for an admission and for a denial; later a replay."""
    world.limit(room)
    agent, payment, key = world.caller(), world.payment(10000), fresh_key()
    world.request(agent, payment, 1)
    proxied.store.now()  # from here on it has a connection, and gets no other one
    proxy.accepts = False
    proxy.cut_answer_to(COMMIT, after=0)
    with pytest.raises(Unavailable) as unrecorded:
        world.answer(agent, ask(payment, 1500), key, app=proxied)
    assert proxy.cuts == 1
    assert unrecorded.value.code == "decision_not_recorded"
    proxy.accepts = True
    again = world.answer(agent, ask(payment, 1500), key, app=proxied)
    assert again.replayed
    assert again.request.state is (State.QUEUED if room == 2000 else State.DENIED)


@pytest.mark.parametrize("missing", [1, 4, 7, 12])
def test_a_commit_that_never_arrived_decided_nothing(
    world: World, proxied: Application, proxy: Proxy, missing: int
) -> None:
    """RELIABILITY A16: the server lacks the end of COMMIT; the key is free."""
    limit = world.limit(2000)
    agent, payment, key = world.caller(), world.payment(10000), fresh_key()
    world.drain(world.request(agent, payment, 1))
    proxy.cut_answer_to(COMMIT, after=-missing)
    with pytest.raises(Unavailable) as unrecorded:
        world.answer(agent, ask(payment, 1500), key, app=proxied)
    assert unrecorded.value.code == "decision_not_recorded"
    assert world.headroom(limit) == 1999
    fresh = world.answer(agent, ask(payment, 1500), key, app=proxied)
    assert (fresh.replayed, fresh.request.state) == (False, State.QUEUED)


def test_a_claim_whose_commit_is_in_doubt_sends_nothing(
    world: World, proxied: Application, proxy: Proxy
) -> None:
    """RELIABILITY D3: the lease runs out by itself; until then and after it the hold stays."""
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    proxy.cut_answer_to(COMMIT, after=0)
    with pytest.raises(Unavailable):
        drain(proxied, request.id)
    assert proxy.cuts == 1
    assert world.now(request).state is State.DISPATCHING
    assert world.drain(request) == 0
    assert (world.writes(), world.headroom(limit)) == ([], 500)


def test_evidence_whose_commit_is_in_doubt_is_there_once(
    world: World, proxied: Application, proxy: Proxy
) -> None:
    """RELIABILITY F3: the provider has executed, our commit has succeeded, and nobody heard of it."""
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    (claim,) = proxied.dispatch_refund.claim(world.environment, 1)
    proxy.cut_answer_to(COMMIT, after=0)
    with pytest.raises(Unavailable):
        proxied.dispatch_refund.send(claim)
    assert world.now(request).state is State.SUCCEEDED
    assert len(world.app.queries.timeline(world.operator, request.id)) == 1
    assert world.drain(request) == 0
    assert (len(world.writes()), world.headroom(limit)) == (1, 500)


def test_evidence_that_was_not_recorded_keeps_the_hold(
    world: World, proxied: Application, proxy: Proxy
) -> None:
    """Case 36, RELIABILITY F1: the provider has executed, and our transaction is lost; never a second refund."""
    limit = world.limit(2000)
    request = world.request(world.caller(), world.payment(5000), 1500)
    (claim,) = proxied.dispatch_refund.claim(world.environment, 1)
    proxy.cut_answer_to(COMMIT, after=-1)
    with pytest.raises(Unavailable):
        proxied.dispatch_refund.send(claim)
    assert world.now(request).state is State.DISPATCHING
    assert world.drain(request) == 0
    assert (len(world.writes()), world.headroom(limit)) == (1, 500)
