"""A call is over at its deadline, and a reply is read to its cap, whatever the other side does."""

from __future__ import annotations

import gzip

import pytest

from adapters.stripe.client import MAX_REPLY_BYTES
from governor.domain.outcome import Outcome, Reply
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import ORDER, STRIPE_SAYS, cut_short, provider_at, refund
from tests.stripe.scripted import Connection, ScriptedServer, Step, drip, hold, raw, reply, write

OK = reply(200, refund(), STRIPE_SAYS)
WHOLE = raw(200, refund(), STRIPE_SAYS)


def create(url: str, seconds: float = PATIENCE_SECONDS, *, first: bool = True) -> Reply:
    return provider_at(url).create_refund(ORDER, first=first, deadline_seconds=seconds)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(hold, id="a black hole"),
        pytest.param(drip(WHOLE, every_seconds=0.05), id="a reply of one byte at a time"),
        pytest.param(
            drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 99, every_seconds=0.05), id="interim replies for ever"
        ),
        pytest.param(
            drip(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 9999, every_seconds=0.05), id="a header for ever"
        ),
        pytest.param(
            drip(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 99,
                every_seconds=0.02,
            ),
            id="chunks for ever",
        ),
    ],
)
def test_the_deadline_is_for_the_whole_call(step: Step) -> None:
    with ScriptedServer(step) as server:
        answer = cut_short(provider_at(server.url))
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "read_timeout")


def test_no_time_at_all_is_no_call() -> None:
    with ScriptedServer(OK) as server:
        first, replay = create(server.url, 0), create(server.url, 0, first=False)
    assert server.requests == []
    assert (first.outcome, replay.outcome) == (Outcome.NOT_EXECUTED, Outcome.UNKNOWN)


def test_a_reply_cut_at_any_byte_proves_nothing() -> None:
    for length in range(len(WHOLE)):
        with ScriptedServer(write(WHOLE[:length])) as server:
            assert create(server.url).outcome is Outcome.UNKNOWN, length


@pytest.mark.parametrize("size", [MAX_REPLY_BYTES + 1, 200 * 1024 * 1024])
def test_a_reply_larger_than_the_cap_is_not_read(size: int) -> None:
    flooded = 0

    def flood(connection: Connection) -> bool:
        nonlocal flooded
        connection.socket.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        while flooded < size:
            connection.socket.sendall(b" " * 65536)
            flooded += 65536
        return False

    with ScriptedServer(flood) as server:
        answer = create(server.url)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "reply_too_large")
    assert flooded < 100 * 1024 * 1024, "it was read to its end"


def test_a_compressed_reply_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    with ScriptedServer(reply(200, bomb, {**STRIPE_SAYS, "Content-Encoding": "gzip"})) as server:
        answer = create(server.url)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "reply_encoded")


def test_a_redirect_is_an_answer_and_not_a_destination() -> None:
    with (
        ScriptedServer(OK) as elsewhere,
        ScriptedServer(reply(307, b"", {"Location": f"{elsewhere.url}/v1/refunds"})) as server,
    ):
        answer = create(server.url)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "http_307")
    assert (len(server.requests), elsewhere.requests) == (1, [])
