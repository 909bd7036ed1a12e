"""Row 29: a call is "not executed" only with proof that no byte of it left; then it may be sent again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from governor.domain.outcome import Outcome, Reply
from tests.stack import PATIENCE_SECONDS, nobody
from tests.stripe.bodies import ORDER, provider_at

FOR_EVER = 3600.0
"""Seconds that no test waits for: what ends in patience has been ended by another time than this one."""


@contextmanager
def refused_port() -> Iterator[str]:
    with nobody() as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def full_backlog() -> Iterator[str]:
    """A listener that accepts nobody and whose queue is full: the next connection waits for ever."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        try:
            for queued in waiting:
                queued.setblocking(False)
                queued.connect_ex(address)
            yield f"http://127.0.0.1:{address[1]}"
        finally:
            for queued in waiting:
                queued.close()


@contextmanager
def unknown_name() -> Iterator[str]:
    yield "http://no-such-host.invalid:12111"


@contextmanager
def tls_with(step: str) -> Iterator[str]:
    """A server that takes a TLS greeting and answers nonsense, nothing, or hangs up."""
    stopped = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            if step == "nonsense":
                connection.sendall(b"HTTP/1.1 400 this is no TLS\r\n\r\n")
            if step == "nothing":
                stopped.wait(PATIENCE_SECONDS)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            stopped.set()
            thread.join(timeout=PATIENCE_SECONDS)


SITUATIONS = {
    "refused": refused_port,
    "no connection in time": full_backlog,
    "unknown name": unknown_name,
    "TLS refused": lambda: tls_with("nonsense"),
    "no handshake in time": lambda: tls_with("nothing"),
    "handshake broken off": lambda: tls_with("hang up"),
}


def _refunded(url: str, *, first: bool = True, connect_seconds: float, deadline_seconds: float) -> Reply:
    """The answer, which came when one of these times was over: a kernel gives up connecting only after two minutes."""
    provider = provider_at(url, connect_seconds=connect_seconds, read_seconds=FOR_EVER)
    began = time.monotonic()
    answer = provider.create_refund(ORDER, first=first, deadline_seconds=deadline_seconds)
    assert time.monotonic() - began < PATIENCE_SECONDS
    return answer


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_what_ended_before_the_first_byte_was_not_executed(
    situation: Callable[[], AbstractContextManager[str]],
) -> None:
    with situation() as url:
        answer = _refunded(url, connect_seconds=0.5, deadline_seconds=FOR_EVER)
    assert (answer.outcome, answer.reason) == (Outcome.NOT_EXECUTED, "not_sent")
    assert answer.retry_after_seconds > 0
    assert answer.http_status is None


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_a_replay_that_was_not_sent_proves_nothing_about_the_first(
    situation: Callable[[], AbstractContextManager[str]],
) -> None:
    with situation() as url:
        answer = _refunded(url, first=False, connect_seconds=0.5, deadline_seconds=FOR_EVER)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "not_sent")


def test_the_deadline_counts_even_when_connecting_may_take_longer() -> None:
    with full_backlog() as url:
        answer = _refunded(url, connect_seconds=FOR_EVER, deadline_seconds=0.4)
    assert answer.outcome is Outcome.NOT_EXECUTED
