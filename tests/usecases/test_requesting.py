from governor.domain.lifecycle import State
from tests.builders import World


def test_an_admitted_refund_is_sent_once_and_settled(world: World) -> None:
    limit = world.limit(2000)
    agent = world.caller()
    request = world.request(agent, world.payment(5000), 1500)
    assert (request.state, world.headroom(limit)) == (State.QUEUED, 500)
    assert world.drain(request) == 1
    assert world.now(request).state is State.SUCCEEDED
    assert [write["amount"] for write in world.writes()] == [1500]
