"""A worker that sleeps with a request in its hands, for a minute or for days, and wakes as if nothing had been."""

import pytest

from governor.checkpoint import checkpoint
from governor.domain.evidence import Source
from governor.domain.lifecycle import State
from governor.usecases.dispatch_refund import Claim
from tests.crashes.dying import Child, Fault, Place
from tests.crashes.going_on import goes_on
from tests.crashes.stage import LEASE_OVER, Stage
from tests.crashes.stories import STORIES

DAYS = 3 * 86_400
HOLDS_IT = ["store.committed", "claim.committed", "gate.passed"]
"""Where a worker has claimed and nothing has left yet."""


def _asleep(stage: Stage, place: str) -> Child:
    """A worker that has fallen asleep there, in the middle of sending."""
    STORIES["dispatch"].prepare(stage)
    child = Child(lambda: STORIES["dispatch"].deed(stage), Place(place), Fault.STOP)
    child.until_stopped()
    return child


@pytest.mark.parametrize("place", HOLDS_IT)
def test_a_worker_that_slept_with_everybody_else_sends_nothing_when_it_wakes(
    stage: Stage, place: str
) -> None:
    """RELIABILITY D4, D11: nobody took its lease away, and it is over all the same. The next one sends."""
    child = _asleep(stage, place)
    stage.world.advance(LEASE_OVER)
    assert child.wake().error is None
    assert (stage.sent(), stage.state()) == (0, State.UNKNOWN)
    goes_on(stage, STORIES["dispatch"])
    stage.judge(executed=1)


@pytest.mark.parametrize("place", HOLDS_IT)
def test_what_everybody_slept_over_for_days_is_an_operators(stage: Stage, place: str) -> None:
    """RELIABILITY D12, G5: its key may be forgotten, so nobody sends it again, and nothing is released."""
    child = _asleep(stage, place)
    stage.world.advance(DAYS)
    assert child.wake().error is None
    stage.live_on(lambda: stage.known().looks >= 3)
    assert (stage.sent(), stage.state(), stage.used()) == (0, State.UNKNOWN, 1500)
    stage.judge(executed=0)


@pytest.mark.parametrize("place", ["gate.passed", "claim.committed"])
def test_the_copy_of_a_machine_that_has_sent_cannot_say_that_nothing_was_sent(
    stage: Stage, place: str
) -> None:
    """RELIABILITY D12: a machine is restored from before its call, which nobody wants any more by now.

    The refund exists, its reply was lost. That the copy has not sent proves nothing about what it is the copy of.
    """
    STORIES["dispatch"].prepare(stage)
    dispatch = stage.world.app.dispatch_refund
    (claim,) = dispatch.claim(stage.world.environment, 1)
    deeds = {
        "gate.passed": lambda: dispatch.send(claim),
        "claim.committed": lambda: _after_the_claim(stage, claim),
    }
    copy = Child(deeds[place], Place(place), Fault.STOP)
    copy.until_stopped()
    stage.twin.fault("drop_after", method="POST", path="/v1/refunds")
    dispatch.send(claim)
    stage.world.app.cancel_refund(stage.agent, stage.known().id, "no-longer-wanted")
    stage.world.advance(LEASE_OVER)
    assert copy.wake().error is None
    assert (stage.sent(), stage.state(), stage.used()) == (1, State.UNKNOWN, 1500)
    stage.live_on(lambda: stage.state() is State.SUCCEEDED)
    stage.judge(executed=1)


def _after_the_claim(stage: Stage, claim: Claim) -> None:
    checkpoint("claim.committed")
    stage.world.app.dispatch_refund.send(claim)


@pytest.mark.parametrize("place", HOLDS_IT)
def test_a_worker_that_slept_for_days_sends_nothing_though_its_key_is_forgotten(
    stage: Stage, place: str
) -> None:
    """RELIABILITY D12, §0.7: others are done; the provider has forgotten the key, so a call would be a second refund."""
    child = _asleep(stage, place)
    stage.world.advance(LEASE_OVER)
    goes_on(stage, STORIES["dispatch"])
    stage.world.advance(DAYS)
    stage.twin.advance(DAYS)
    sent = stage.sent()
    child.wake()
    assert stage.sent() == sent
    assert stage.state() is State.SUCCEEDED
    stage.judge(executed=1)


@pytest.mark.parametrize("place", ["provider.sent", "provider.replied", "evidence.before_tx"])
def test_a_reply_that_comes_after_another_worker_has_replayed_is_kept_and_moves_nothing(
    stage: Stage, place: str
) -> None:
    """RELIABILITY E9, F12: evidence of attempt 1 after that of attempt 2; the state folds over both."""
    child = _asleep(stage, place)
    stage.world.advance(LEASE_OVER)
    goes_on(stage, STORIES["dispatch"])
    before = stage.known()
    assert child.wake().error is None
    after = stage.known()
    assert (after.state, after.attempts, after.moved_minor) == (State.SUCCEEDED, before.attempts, 1500)
    assert after.lease_token == before.lease_token
    replies = {
        one.evidence.attempt
        for one in stage.world.app.queries.timeline(stage.world.operator, after.id)
        if one.evidence.source is Source.REPLY
    }
    assert 1 in replies
    stage.judge(executed=1)


def test_a_reply_that_comes_late_while_nobody_has_looked_settles_it(stage: Stage) -> None:
    """RELIABILITY E8: the lease is over and booked as such; the reply is still what it is."""
    child = _asleep(stage, "provider.replied")
    stage.world.advance(LEASE_OVER)
    stage.world.app.recover_leases(stage.world.environment)
    assert stage.state() is State.UNKNOWN
    assert child.wake().error is None
    assert stage.state() is State.SUCCEEDED
    stage.judge(executed=1)


def test_two_workers_on_one_request_are_one_call(stage: Stage) -> None:
    """RELIABILITY D5, C14: the second one comes while the first holds the line, and while it calls."""
    child = _asleep(stage, "claim.committed")
    second = Child(lambda: STORIES["job"].deed(stage), Place("never"), Fault.KILL)
    assert second.end().result == 0
    assert (stage.sent(), stage.state()) == (0, State.DISPATCHING)
    assert child.wake().error is None
    assert (stage.sent(), stage.state()) == (1, State.SUCCEEDED)
    stage.judge(executed=1)


def test_who_waits_for_a_sleeper_is_told_that_nothing_was_decided(stage: Stage) -> None:
    """RELIABILITY A9: others wait for the environment's line for seconds, hear 503, and never "denied"."""
    child = Child(lambda: STORIES["admission"].deed(stage), Place("admit.decided", 2), Fault.STOP)
    try:
        child.until_stopped()
        status, _, code = stage.ask_something_else()
        assert (status, code) == (503, "decision_not_recorded")
    finally:
        told = child.wake()
    assert told.result[0] in {202, 503}, "the server may have ended its session meanwhile"
    goes_on(stage, STORIES["admission"])
    assert stage.ask_something_else()[0] == 202
    stage.world.drain(stage.known())
