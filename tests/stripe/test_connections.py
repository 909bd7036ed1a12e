"""Connections are kept, but never shared: not between threads, not across a fork, not when they grew old."""

from __future__ import annotations

import multiprocessing
import threading

import pytest

from adapters.stripe import wire
from adapters.stripe.provider import StripeProvider
from governor.domain.outcome import Outcome
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import ORDER, STRIPE_SAYS, cut_short, provider_at, refund
from tests.stripe.scripted import ScriptedServer, drip, raw, reply, reset

OK = reply(200, refund(), STRIPE_SAYS)


def create(provider: StripeProvider, seconds: float = PATIENCE_SECONDS) -> Outcome:
    return provider.create_refund(ORDER, first=True, deadline_seconds=seconds).outcome


def test_a_thread_keeps_its_connection() -> None:
    with ScriptedServer(OK) as server:
        provider = provider_at(server.url)
        assert [create(provider) for _ in range(3)] == [Outcome.ACCEPTED] * 3
    assert [call.connection for call in server.requests] == [1, 1, 1]


def test_a_connection_left_half_read_is_never_used_again() -> None:
    late = drip(raw(200, refund(), STRIPE_SAYS), every_seconds=0.05)
    with ScriptedServer(late, OK) as server:
        provider = provider_at(server.url)
        assert [cut_short(provider).outcome, create(provider)] == [Outcome.UNKNOWN, Outcome.ACCEPTED]
    cut, used = (call.connection for call in server.requests)
    assert used != cut


def test_a_connection_that_grew_old_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "IDLE_SECONDS", 0.0)
    with ScriptedServer(OK) as server:
        provider = provider_at(server.url)
        create(provider)
        create(provider)
    assert [call.connection for call in server.requests] == [1, 2]


def test_a_broken_connection_is_not_tried_twice() -> None:
    with ScriptedServer(OK, reset, OK) as server:
        provider = provider_at(server.url)
        assert [create(provider) for _ in range(2)] == [Outcome.ACCEPTED, Outcome.UNKNOWN]
        assert len(server.requests) == 2
        assert create(provider) is Outcome.ACCEPTED


def test_threads_do_not_share_a_connection() -> None:
    start = threading.Barrier(4)
    outcomes: list[Outcome] = []

    def work() -> None:
        start.wait(timeout=PATIENCE_SECONDS)
        outcomes.extend(create(provider) for _ in range(3))

    with ScriptedServer(OK) as server:
        provider = provider_at(server.url)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=PATIENCE_SECONDS)
    assert outcomes == [Outcome.ACCEPTED] * 12
    assert sorted(call.connection for call in server.requests) == sorted([1, 2, 3, 4] * 3)


def test_a_forked_child_opens_its_own_connection_and_leaves_ours_alone() -> None:
    with ScriptedServer(OK) as server:
        provider = provider_at(server.url)
        create(provider)
        child = multiprocessing.get_context("fork").Process(target=create, args=(provider,))
        child.start()
        child.join(timeout=PATIENCE_SECONDS)
        assert child.exitcode == 0
        assert create(provider) is Outcome.ACCEPTED
    assert [call.connection for call in server.requests] == [1, 2, 1]
