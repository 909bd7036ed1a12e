"""T15: one agent that asks without end fills its own limits, and nobody else's room."""

from collections.abc import Callable
from datetime import timedelta

from governor.domain.admission import Denial
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from tests.builders import World


def test_a_flood_of_pending_approvals_by_one_agent_leaves_the_others_their_room(world: World) -> None:
    whole = world.limit(1_000_000)
    world.limit(1_000_000, scope=Scope.AGENT, approval_above=0)
    world.limit(5, scope=Scope.AGENT, measure=Measure.COUNT)
    flooder, other = world.caller(name="flooder"), world.caller(name="other")
    asked = [world.request(flooder, world.payment(5000), 900) for _ in range(12)]
    assert [one.state for one in asked[:5]] == [State.PENDING_APPROVAL] * 5
    assert {one.denial for one in asked[5:]} == {Denial.LIMIT_EXCEEDED}
    assert world.headroom(whole) == 1_000_000 - 5 * 900, "no more is taken than its own count allows"
    assert world.request(other, world.payment(5000), 900).state is State.PENDING_APPROVAL


def test_what_nobody_decides_gives_its_room_back_by_time_alone(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True)
    whole = world.limit(10_000, approval_above=0)
    flooder, other = world.caller(name="flooder"), world.caller(name="other")
    for _ in range(2):
        world.request(flooder, world.payment(5000), 5000)
    assert world.request(other, world.payment(5000), 100).denial is Denial.LIMIT_EXCEEDED
    assert world.headroom(whole) == 0
    world.advance(timedelta(hours=2).total_seconds())
    assert world.request(other, world.payment(5000), 100).state is State.PENDING_APPROVAL
