"""What two people said, and evidence that comes later (RELIABILITY G9)."""

import pytest

from governor.domain.errors import Conflict
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Measure
from governor.domain.windows import WindowKind
from governor.usecases.callers import Caller
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.usecases.at_the_desk import FAILED, HOUR, SUCCEEDED, in_doubt, refused, trail
from tests.usecases.at_the_desk import ann as ann
from tests.usecases.at_the_desk import bob as bob
from tests.usecases.at_the_desk import desk as desk
from tests.usecases.at_the_desk import limit as limit
from tests.usecases.at_the_desk import provider as provider

pytestmark = pytest.mark.usefixtures("limit")


def test_a_refund_found_after_people_said_it_failed_is_booked_and_halts(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    """RELIABILITY G9, F6: consumed again, an overrun, and nothing more is sent until somebody has looked."""
    request = in_doubt(desk, provider, executed=True)
    for person in (ann, bob):
        desk.resolve(person, request, FAILED)
    assert desk.headroom(limit) == 2000
    desk.app.recover_refund.look_now(desk.now(request))
    now = desk.now(request)
    assert (now.state, now.manual, now.moved_minor) == (State.SUCCEEDED, False, 1500)
    assert desk.headroom(limit) == 500
    assert trail(desk, request)[-1] == "refund_request.resolution_contradicted"
    here = desk.app.queries.environment(desk.operator)
    assert here.halted_reason == f"overrun: {request.id}"


def test_a_refund_found_late_counts_on_the_limits_that_came_while_it_was_thought_to_have_failed(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    """Invariants 10 and 12: nobody escapes a limit because the truth came later than the limit."""
    request = in_doubt(desk, provider, executed=True)
    for person in (ann, bob):
        desk.resolve(person, request, FAILED)
    late = [
        desk.limit(2000),
        desk.limit(2000, window=WindowKind.ROLLING, days=3),
        desk.limit(9, measure=Measure.COUNT),
    ]
    desk.app.recover_refund.look_now(desk.now(request))
    assert [desk.headroom(one) for one in (limit, *late)] == [500, 500, 500, 8]
    provider.set_status(provider.executed(request.payment)[0].id, "failed")
    desk.app.recover_refund.look_now(desk.now(request))
    assert [desk.headroom(one) for one in (limit, *late)] == [2000, 2000, 2000, 9], (
        "and gives it back everywhere"
    )


def test_a_refund_that_failed_outweighs_people_who_said_it_succeeded(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    """RELIABILITY G9: evidence wins, its room comes back, and the conflict raises an alarm."""
    request = in_doubt(desk, provider, executed=True)
    for person in (ann, bob):
        desk.resolve(person, request, SUCCEEDED)
    provider.set_status(provider.executed(request.payment)[0].id, "failed")
    desk.app.recover_refund.look_now(desk.now(request))
    now = desk.now(request)
    assert (now.state, now.manual, desk.headroom(limit)) == (State.FAILED, False, 2000)
    assert trail(desk, request)[-1] == "refund_request.resolution_contradicted"
    here = desk.app.queries.environment(desk.operator)
    assert here.halted_reason == f"resolution_contradicted: {request.id}"


def test_evidence_that_agrees_with_people_takes_the_label_off_and_alarms_nobody(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    request = in_doubt(desk, provider, executed=True)
    for person in (ann, bob):
        desk.resolve(person, request, SUCCEEDED)
    desk.app.recover_refund.look_now(desk.now(request))
    now = desk.now(request)
    assert (now.state, now.manual, desk.headroom(limit)) == (State.SUCCEEDED, False, 500)
    assert "refund_request.resolution_contradicted" not in trail(desk, request)
    assert desk.app.queries.environment(desk.operator).halted_reason is None


def test_what_people_have_ended_is_never_sent_again(
    desk: World, provider: FakeProvider, ann: Caller, bob: Caller
) -> None:
    """Also not when a refund that does not fit puts it in doubt again, and the halt is acknowledged."""
    request = in_doubt(desk, provider)
    for person in (ann, bob):
        desk.resolve(person, request, FAILED)
    desk.provider_breaks_its_rules = True
    provider._add_refund(request.payment, 700, request.id, "succeeded")
    desk.app.recover_refund.look_now(desk.now(request))
    assert desk.now(request).state is State.UNKNOWN
    desk.app.change_environment.acknowledge(desk.operator, "looking into it")
    for hours in range(1, 4):
        desk.advance(hours * HOUR)
        desk.app.recover_refund(desk.environment)
    assert len(provider.orders) == 1
    assert refused(Conflict, desk, ann, request) == "refund_seen"
