"""Limits that come later than a request: it is held on them, and not sent before it is proven to fit."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from governor.domain.admission import NextAction
from governor.domain.environments import Mode
from governor.domain.late_limits import ANY_AMOUNT_LIMIT, LateLimits
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.requests import RefundRequest
from governor.domain.rules import RuleEffect, RuleMode
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World, fresh_key
from tests.rules import a_rule


def _queued(world: World, requests: int, amount: int = 100) -> list[RefundRequest]:
    """So many requests that wait to be sent, oldest first."""
    agent = world.caller()
    return [world.request(agent, world.payment(5000), amount) for _ in range(requests)]


def _states(world: World, requests: list[RefundRequest]) -> list[str]:
    return [world.now(one).state.value for one in requests]


def _mode(world: World, mode: Mode, late_limits: LateLimits = LateLimits.HOLD) -> None:
    here = world.app.queries.environment(world.operator)
    draft = EnvironmentDraft(mode, here.rate_per_second, here.approval_seconds, late_limits)
    world.app.change_environment(world.operator, draft, here.revision)


def _held(world: World, limit: Limit) -> list[tuple[int, int]]:
    rows = world.app.queries.counters(world.operator, limit.id)
    return [(row.row.reserved, row.row.settled) for row in rows]


def test_a_new_limit_lets_through_as_many_as_fit_and_the_others_once_it_is_raised(world: World) -> None:
    """Invariant 2, RELIABILITY D8: twenty wait, the new limit has room for five, the raise for all."""
    world.limit(10**6)
    requests = _queued(world, 20)
    late = world.limit(500)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded"] * 5 + ["queued"] * 15
    assert len(world.writes()) == 5
    waits = world.now(requests[-1])
    assert (waits.parked, waits.unproven, waits.next_action) == (True, (late.id,), NextAction.WAIT)
    assert _held(world, late) == [(1500, 500)], "what waits is held, so that nobody else takes the room"
    assert world.request(world.caller(), world.payment(5000), 1).denial == "limit_exceeded"
    assert world.drain(requests[0]) == 0, "nothing is asked again before there can be room"
    world.change_cap(late, 2000)
    world.drain(requests[0])
    assert (_states(world, requests), len(world.writes())) == (["succeeded"] * 20, 20)
    assert _held(world, late) == [(0, 2000)]


def test_a_lowered_cap_asks_no_proof_of_what_was_admitted_under_it(world: World) -> None:
    """Invariant 1: nothing is taken back."""
    limit = world.limit(2000)
    requests = _queued(world, 4, 500)
    world.change_cap(limit, 100)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded"] * 4


def test_a_new_limit_with_room_for_everybody_asks_no_proof_when_it_is_lowered_later(world: World) -> None:
    world.limit(10**6)
    requests = _queued(world, 2)
    late = world.limit(200)
    assert [world.now(one).unproven for one in requests] == [(), ()]
    world.change_cap(late, 0)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded"] * 2


def test_a_smaller_one_goes_past_an_older_one_that_does_not_fit(world: World) -> None:
    world.limit(10**6)
    agent = world.caller()
    large = world.request(agent, world.payment(5000), 900)
    small = world.request(agent, world.payment(5000), 300)
    late = world.limit(500)
    world.drain(large)
    assert _states(world, [large, small]) == ["queued", "succeeded"]
    world.change_cap(late, 1200)
    world.drain(large)
    assert world.now(large).state is State.SUCCEEDED


def test_an_environment_may_refuse_what_a_later_limit_has_no_room_for(world: World) -> None:
    _mode(world, Mode.ENFORCE, LateLimits.REFUSE)
    limit = world.limit(10**6)
    requests = _queued(world, 3)
    late = world.limit(200)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded", "succeeded", "canceled"]
    assert world.now(requests[2]).last_reason == "needs_capacity"
    assert (_held(world, limit), _held(world, late)) == ([(0, 200)], [(0, 200)])


def test_what_observe_mode_let_through_is_asked_for_its_proof_when_limits_are_enforced(world: World) -> None:
    """RELIABILITY I8, case of roll-out: leaving observe mode enforces at once for everything not yet sent."""
    _mode(world, Mode.OBSERVE)
    limit = world.limit(250)
    requests = _queued(world, 4)
    assert [one.unproven for one in requests] == [(), (), (limit.id,), (limit.id,)]
    _mode(world, Mode.ENFORCE)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded", "succeeded", "queued", "queued"]
    _mode(world, Mode.OBSERVE)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded"] * 4, "observing blocks nothing"


def test_what_observe_mode_let_past_rules_and_approvers_is_canceled_when_they_are_enforced(
    world: World,
) -> None:
    """RELIABILITY I8, DESIGN §5: nobody has approved it, and a rule denies it; it must be asked for anew."""
    _mode(world, Mode.OBSERVE)
    limit = world.limit(10**6, approval_above=500)
    a_rule(world, RuleEffect.APPROVAL, currency="usd", amount_at_least=400)
    a_rule(world, RuleEffect.DENY, currency="usd", amount_at_least=300)
    a_rule(world, RuleEffect.DENY, mode=RuleMode.DRY_RUN)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), amount) for amount in (600, 450, 350, 100)]
    assert _states(world, requests) == ["queued"] * 4
    _mode(world, Mode.ENFORCE)
    world.drain(requests[0])
    assert _states(world, requests) == ["canceled"] * 3 + ["succeeded"]
    assert {world.now(one).last_reason for one in requests[:3]} == {"policy_enforced"}
    assert (_held(world, limit), len(world.writes())) == ([(0, 100)], 1)


def test_what_no_limit_permits_waits_for_one_when_limits_are_enforced(world: World) -> None:
    _mode(world, Mode.OBSERVE)
    (request,) = _queued(world, 1)
    assert request.unproven == (ANY_AMOUNT_LIMIT,)
    _mode(world, Mode.ENFORCE)
    world.limit(10, measure=Measure.COUNT)
    world.drain(request)
    assert world.now(request).parked, "a count permits no amount"
    world.limit(1000)
    world.drain(request)
    assert world.now(request).state is State.SUCCEEDED


def test_a_limit_that_counts_nothing_asks_for_its_proof_too(world: World) -> None:
    """A `request` window has no counter and no hold: each request is judged alone."""
    world.limit(10**6)
    agent = world.caller()
    large, small = (world.request(agent, world.payment(5000), amount) for amount in (600, 500))
    late = world.limit(500, window=WindowKind.REQUEST)
    world.drain(large)
    assert _states(world, [large, small]) == ["queued", "succeeded"]
    world.app.change_limit.archive(world.operator, late.id, AsSeen(late.revision))
    world.drain(large)
    assert world.now(large).state is State.SUCCEEDED, "an archived limit asks nothing of anybody"


def test_a_limit_that_comes_between_claim_and_gate_closes_the_gate(world: World) -> None:
    """RELIABILITY D8."""
    world.limit(10**6)
    _queued(world, 1)
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    late = world.limit(50)
    after = world.app.dispatch_refund.send(claim)
    assert (after.state, after.last_reason, world.writes()) == (State.QUEUED, "needs_capacity", [])
    assert after.unproven == (late.id,)
    assert _held(world, late) == [(100, 0)]


def test_what_may_have_left_already_waits_for_no_room(world: World) -> None:
    """A replay asks what became of a call; its money may have left, and it is held."""
    world.limit(10**6)
    (request,) = _queued(world, 1)
    (claim,) = world.app.dispatch_refund.claim(world.environment, 1)
    world.limit(50)
    assert world.now(request).unproven
    replayed = world.app.dispatch_refund.send(replace(claim, first=False))
    assert replayed.state is State.SUCCEEDED


@pytest.mark.parametrize(
    ("window", "days"), [(WindowKind.DAY, None), (WindowKind.MONTH, None), (WindowKind.ROLLING, 2)]
)
def test_a_new_window_is_room_and_the_hold_moves_there(
    new_world: Callable[..., World], window: WindowKind, days: int | None
) -> None:
    """What was never proven to fit is booked where it is sent; what was stays where it was made (invariant 9)."""
    world = new_world(clock=True)
    world.travel_to("2027-05-30T12:00:00+00:00")
    proven = world.limit(10**6)
    requests = _queued(world, 3, 400)
    late = world.limit(800, window=window, days=days)
    world.drain(requests[0])
    assert _states(world, requests) == ["succeeded", "succeeded", "queued"]
    world.travel_to("2027-06-02T12:00:00+00:00")
    world.drain(requests[2])
    assert _states(world, requests) == ["succeeded"] * 3
    assert _held(world, late) == [(0, 400), (0, 800)]
    assert _held(world, proven) == [(0, 1200)]


def test_what_waits_gives_its_room_back_when_it_is_canceled(world: World) -> None:
    world.limit(10**6)
    requests = _queued(world, 2, 400)
    late = world.limit(500, scope=Scope.AGENT)
    world.drain(requests[0])
    world.app.cancel_refund(world.operator, requests[1].id, fresh_key("cancel"))
    assert (_states(world, requests), _held(world, late)) == (["succeeded", "canceled"], [(0, 400)])
