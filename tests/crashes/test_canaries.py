"""Bugs planted on purpose: a matrix that let these through would prove nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import Connection

from adapters.sql.transaction import SqlTransaction
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.provider import RefundOrder
from governor.usecases.dispatch_refund import DispatchRefund
from tests.crashes.dying import Child, Fault, Place
from tests.crashes.going_on import goes_on, judge_end
from tests.crashes.stage import LEASE_OVER, Stage
from tests.crashes.stories import STORIES

Plant = Callable[[pytest.MonkeyPatch], None]
DAYS = 3 * 86_400


def _a_new_key_for_each_attempt(patch: pytest.MonkeyPatch) -> None:
    right = RefundOrder.of

    def of(request: RefundRequest) -> RefundOrder:
        return replace(right(request), idempotency_key=f"governor-{request.id}-{request.attempts}")

    patch.setattr(RefundOrder, "of", of)


def _capacity_moved_in_a_transaction_of_its_own(patch: pytest.MonkeyPatch) -> None:
    right = SqlTransaction.carry

    def carry(tx: SqlTransaction, before: RefundRequest, after: RefundRequest) -> None:
        right(tx, before, after)
        connection: Connection = tx._connection
        connection.commit()

    patch.setattr(SqlTransaction, "carry", carry)


def _no_gate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(DispatchRefund, "_closed_gate", lambda *_: None)


def _dies_and_goes_on(stage: Stage, place: str, left: State) -> None:
    story = STORIES["dispatch"]
    story.prepare(stage)
    Child(lambda: story.deed(stage), Place(place), Fault.KILL).end()
    assert stage.state() is left
    goes_on(stage, story)
    judge_end(stage, story)


@pytest.mark.parametrize(
    ("plant", "place", "left"),
    [
        (_a_new_key_for_each_attempt, "provider.replied", State.DISPATCHING),
        (_capacity_moved_in_a_transaction_of_its_own, "fold.counters_moved", State.DISPATCHING),
    ],
)
def test_a_crash_brings_a_planted_bug_to_light(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, plant: Plant, place: str, left: State
) -> None:
    """RELIABILITY §2.7, 2: a second refund, and half a transaction."""
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        _dies_and_goes_on(stage, place, left)
    monkeypatch.undo()
    stage.new_case()
    _dies_and_goes_on(stage, place, left)


def test_a_sleeper_brings_a_missing_gate_to_light(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """RELIABILITY §2.7, 7: without the gate, a worker that wakes after days makes a second refund."""
    _no_gate(monkeypatch)
    frozen = replace(stage.world.app.dispatch_refund, monotonic=lambda: 0.0)
    story = STORIES["dispatch"]
    story.prepare(stage)

    def deed() -> None:
        for claim in frozen.claim(stage.world.environment, 1):
            frozen.send(claim)

    child = Child(deed, Place("claim.committed"), Fault.STOP)
    child.until_stopped()
    stage.world.advance(LEASE_OVER)
    goes_on(stage, story)
    stage.twin.advance(DAYS)
    child.wake()
    with pytest.raises(AssertionError):
        stage.judge(executed=1)
