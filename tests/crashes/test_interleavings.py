"""One process stops between two steps, another does something to the end, and the first one goes on."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from tests.builders import fresh_key
from tests.crashes.dying import Child, Fault, Place, Told
from tests.crashes.stage import Stage
from tests.crashes.stories import STORIES
from tests.freezing import freeze

Deed = Callable[[Stage], object]


def _freezes(stage: Stage) -> object:
    return freeze(stage.world)


def _revokes_the_key(stage: Stage) -> object:
    return stage.world.app.manage_credentials.revoke(stage.world.operator, stage.agent.credential.id)


def _cancels(stage: Stage) -> object:
    return stage.world.app.cancel_refund(stage.world.operator, stage.known().id, fresh_key())


def _lowers_the_limit(stage: Stage) -> object:
    return stage.world.change_cap(stage.limit, 1000)


def _approves(stage: Stage) -> object:
    return STORIES["approval"].deed(stage)


def _another_rejects(stage: Stage) -> object:
    other = stage.world.caller(Role.APPROVER, "another approver", kind=Kind.HUMAN)
    return stage.world.decide(other, stage.known(), Choice.REJECT)


def _lets_the_hold_expire(stage: Stage) -> object:
    stage.world.advance(timedelta(hours=2).total_seconds())
    return stage.world.app.expire_holds(stage.world.environment)


def _revokes_the_approver(stage: Stage) -> object:
    return stage.world.app.manage_credentials.revoke(stage.world.operator, stage.approver.credential.id)


def _interrupted(stage: Stage, story: str, place: str, deed: Deed) -> Told:
    STORIES[story].prepare(stage)
    child = Child(lambda: STORIES[story].deed(stage), Place(place), Fault.STOP)
    try:
        child.until_stopped()
        deed(stage)
    finally:
        told = child.wake()
    return told


@pytest.mark.parametrize(
    ("deed", "then"),
    [(_freezes, State.QUEUED), (_revokes_the_key, State.CANCELED), (_cancels, State.CANCELED)],
)
@pytest.mark.parametrize("place", ["claim.before_tx", "claim.committed"])
def test_what_was_forbidden_before_the_gate_is_not_sent(
    stage: Stage, place: str, deed: Deed, then: State
) -> None:
    """RELIABILITY D7, D9, I9, B10: whoever forbids it before the gate is looked at is obeyed."""
    assert _interrupted(stage, "dispatch", place, deed).error is None
    stage.live_on(lambda: stage.state() is then)
    assert (stage.sent(), stage.used()) == (0, 1500 if then is State.QUEUED else 0)
    stage.judge(executed=0)


@pytest.mark.parametrize("deed", [_freezes, _revokes_the_key, _cancels])
@pytest.mark.parametrize("place", ["gate.passed", "provider.sent", "evidence.before_tx"])
def test_what_was_forbidden_behind_the_gate_is_still_booked_as_it_happened(
    stage: Stage, place: str, deed: Deed
) -> None:
    """RELIABILITY I9: a call on the wire is not taken back, and what it did takes its room."""
    assert _interrupted(stage, "dispatch", place, deed).error is None
    assert (stage.sent(), stage.state(), stage.used()) == (1, State.SUCCEEDED, 1500)
    stage.judge(executed=1)


@pytest.mark.parametrize(
    ("deed", "code", "then"),
    [
        (_another_rejects, "hold_already_decided", State.REJECTED),
        (_cancels, "hold_already_decided", State.CANCELED),
        (_lets_the_hold_expire, "hold_expired", State.EXPIRED),
        (_revokes_the_approver, "credential_invalid", State.PENDING_APPROVAL),
    ],
)
def test_a_vote_on_its_way_counts_only_if_it_still_may(
    stage: Stage, deed: Deed, code: str, then: State
) -> None:
    """RELIABILITY B6, B7, B9, B11: looked at under the line, whatever the voter saw before."""
    told = _interrupted(stage, "approval", "decide.before_tx", deed)
    assert code in str(told.error)
    assert stage.state() is then
    assert stage.used() == (1500 if then is State.PENDING_APPROVAL else 0)
    stage.judge(executed=0)


def test_a_cancellation_that_comes_after_an_approval_still_stops_it(stage: Stage) -> None:
    """RELIABILITY B9: queued is early enough."""
    STORIES["approval"].prepare(stage)
    child = Child(lambda: STORIES["cancellation"].deed(stage), Place("cancel.before_tx"), Fault.STOP)
    try:
        child.until_stopped()
        _approves(stage)
    finally:
        assert child.wake().error is None
    assert (stage.state(), stage.used()) == (State.CANCELED, 0)
    stage.judge(executed=0)


@pytest.mark.parametrize("place", ["admit.received", "admit.facts_read"])
@pytest.mark.parametrize(
    ("deed", "status"), [(_lowers_the_limit, 403), (_revokes_the_key, 401), (_freezes, 503)]
)
def test_an_admission_on_its_way_is_decided_by_what_holds_when_it_is_decided(
    stage: Stage, place: str, deed: Deed, status: int
) -> None:
    """RELIABILITY A30, I4, I9: the limit, the key and the freeze as they are under the line."""
    told = _interrupted(stage, "admission", place, deed)
    assert told.result[0] == status
    stage.judge(executed=0)
