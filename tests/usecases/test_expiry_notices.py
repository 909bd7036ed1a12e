"""That a hold's time runs out is told once, before it has, where the environment wants that."""

from collections.abc import Callable

import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Conflict
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.records import TrailFilter
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from workers import cron


@pytest.fixture
def clocked(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True, approval_seconds=1000)
    world.limit(100_000, approval_above=1000)
    return world


def _told(world: World, request: RefundRequest) -> list[str]:
    """What was told of a request beyond its admission."""
    chosen = TrailFilter(objects=(request.id,))
    with world.app.store.reading() as reads:
        found = reads.audit(world.environment, after=0, at_most=50, chosen=chosen)
    return [sealed.entry.action for sealed in found if sealed.entry.action != "refund_request.admitted"]


def test_a_notice_comes_once_when_three_quarters_of_the_time_are_over(clocked: World) -> None:
    waits = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    clocked.advance(740)
    cron.run_once(clocked.app, sweep=False)
    assert _told(clocked, waits) == []
    clocked.advance(755)
    for _ in range(2):
        cron.run_once(clocked.app, sweep=False)
    assert _told(clocked, waits) == ["refund_request.expiring"]
    assert clocked.now(waits).state is State.PENDING_APPROVAL, "it is told, and waits on"
    clocked.advance(1001)
    cron.run_once(clocked.app, sweep=False)
    assert _told(clocked, waits) == ["refund_request.expiring", "refund_request.expired"]


def test_what_is_decided_or_over_is_not_announced(clocked: World) -> None:
    """Also when no cron was alive for the whole time."""
    agent, approver = clocked.caller(), clocked.approver()
    approved, expired = (clocked.request(agent, clocked.payment(5000), 1500) for _ in range(2))
    clocked.decide(approver, approved, Choice.APPROVE)
    clocked.advance(1001)
    assert clocked.app.note_expiring(clocked.environment) == 0
    cron.run_once(clocked.app, sweep=False)
    assert (_told(clocked, approved), _told(clocked, expired)) == (
        ["hold.decided"],
        ["refund_request.expired"],
    )


def test_an_environment_that_wants_no_notices_gets_none(clocked: World) -> None:
    """Case 77: switched off is off."""
    waits = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    here = clocked.app.queries.environment(clocked.operator)
    draft = EnvironmentDraft(here.mode, here.rate_per_second, here.approval_seconds, expiry_notices=False)
    clocked.app.change_environment(clocked.operator, draft, here.revision)
    clocked.advance(800)
    cron.run_once(clocked.app, sweep=False)
    assert (clocked.app.note_expiring.due(clocked.environment), _told(clocked, waits)) == (False, [])
    assert clocked.app.note_expiring(clocked.environment) == 0


def test_whoever_comes_too_late_hears_that_nothing_ran_and_what_to_do(clocked: World) -> None:
    """Case 73: "expired, not run, submit again", and the same intent may be asked for anew at once."""
    agent, payment = clocked.caller(), clocked.payment(5000)
    waits = clocked.request(agent, payment, 1500)
    clocked.advance(1001)
    with pytest.raises(Conflict) as late:
        clocked.decide(clocked.approver(), waits, Choice.APPROVE)
    assert late.value.code == "hold_expired"
    assert late.value.detail == "Nobody decided in time; nothing was sent. Submit the request again."
    assert (clocked.drain(waits), clocked.writes(payment)) == (0, [])
    again = clocked.request(agent, payment, 1500)
    assert (again.state, clocked.now(waits).state) == (State.PENDING_APPROVAL, State.EXPIRED)
