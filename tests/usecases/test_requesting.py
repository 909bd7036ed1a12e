import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.errors import Forbidden
from governor.domain.lifecycle import State
from governor.ports.records import RequestFilter
from governor.usecases.request_refund import BatchLine
from tests.builders import World, ask, fresh_key


def test_an_admitted_refund_is_sent_once_and_settled(world: World) -> None:
    limit = world.limit(2000)
    agent = world.caller()
    request = world.request(agent, world.payment(5000), 1500)
    assert (request.state, world.headroom(limit)) == (State.QUEUED, 500)
    assert world.drain(request) == 1
    assert world.now(request).state is State.SUCCEEDED
    assert [write["amount"] for write in world.writes()] == [1500]


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.AGENT}))
def test_nobody_asks_for_a_refund_by_being_something_else(world: World, role: Role) -> None:
    """Enforced in the use cases, whatever the surface let through."""
    world.limit(2000)
    somebody, payment = world.caller(role, f"a {role}", kind=Kind.HUMAN), world.payment(5000)
    line = BatchLine(fresh_key("line"), ask(payment, 100), None)
    (batched,) = world.app.request_refund.batch(somebody, [line])
    assert isinstance(batched, Forbidden)
    with pytest.raises(Forbidden) as asked:
        world.request(somebody, payment, 100)
    with pytest.raises(Forbidden) as previewed:
        world.app.request_refund.preview(somebody, ask(payment, 100), None)
    assert {batched.code, asked.value.code, previewed.value.code} == {"role_not_allowed"}
    assert world.app.queries.requests(somebody, RequestFilter(), after=None, at_most=9) == ()
