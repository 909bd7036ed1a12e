"""Requests that share a transaction share its death: none of them is half decided."""

import os
import signal
from functools import partial
from threading import Semaphore

import pytest

from governor import checkpoint as checkpoints
from governor.domain.lifecycle import State
from governor.usecases.replay import Answer
from tests.builders import ask
from tests.crashes.dying import Child, Fault, Place
from tests.crashes.stage import Stage
from tests.races.at_once import at_once
from tests.stack import PATIENCE_SECONDS

KEYS = [f"waits-with-others-{number}" for number in range(6)]


def _wants(stage: Stage, number: int) -> Answer:
    return stage.world.app.request_refund(stage.agent, ask(stage.payment, 10 + number), KEYS[number], None)


def _all_at_once(stage: Stage, place: str) -> None:
    """The first one leads, and waits in its transaction until all have come; the process is killed at `place`."""
    come = Semaphore(0)

    def watch(name: str) -> None:
        if name == "admit.queued":
            come.release()
        if name == "admit.tx_begun":
            assert all(come.acquire(timeout=PATIENCE_SECONDS) for _ in KEYS)
        if name == place:
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoints.watch = watch
    at_once([partial(_wants, stage, number) for number in range(len(KEYS))])


@pytest.mark.parametrize("place", ["admit.tx_begun", "admit.decided", "store.written"])
def test_nobody_who_waits_in_a_process_that_dies_is_half_decided(stage: Stage, place: str) -> None:
    """RELIABILITY A5, A16: six clients, one transaction; nothing is recorded, and each of them is decided anew."""
    stage.ask()  # so that the payment is known, and nobody has to read it first
    Child(lambda: _all_at_once(stage, place), Place("nowhere"), Fault.KILL).end()
    with stage.world.app.store.reading() as reads:
        assert [reads.request_by_key(stage.world.environment, key) for key in KEYS] == [None] * len(KEYS)
    answers = [_wants(stage, number) for number in range(len(KEYS))]
    assert [(answer.replayed, answer.request.state) for answer in answers] == [(False, State.QUEUED)] * len(
        KEYS
    )
    stage.live_on(lambda: len(stage.twin.writes()) == 1 + len(KEYS))
    assert stage.used() == 1500 + sum(range(10, 10 + len(KEYS)))
    stage.judge(executed=1 + len(KEYS))


def test_all_who_shared_a_transaction_keep_its_decisions_though_nobody_heard_them(stage: Stage) -> None:
    """RELIABILITY A18: killed right after the commit; every key names its decision."""
    stage.ask()
    Child(lambda: _all_at_once(stage, "store.committed"), Place("nowhere"), Fault.KILL).end()
    answers = [_wants(stage, number) for number in range(len(KEYS))]
    assert {answer.replayed for answer in answers} == {True}
    stage.live_on(lambda: len(stage.twin.writes()) == 1 + len(KEYS))
    stage.judge(executed=1 + len(KEYS))
