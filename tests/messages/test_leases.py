"""A delivery is one process's for a minute; what comes late from another changes nothing that is known better."""

from adapters.sql.outgoing import BESIDE, LEASE
from governor.domain.deliveries import DeliveryState, Receipt
from governor.ports.messages import Claimed
from tests.builders import World
from tests.messages.steps import deliveries, listen
from tests.receiver import Receiver

TAKEN, LOST = Receipt(200, None, 5), Receipt(None, "timed_out", 15_000)


def claim_one(world: World) -> Claimed:
    world.app.messages.tell()
    (claimed,) = world.app.messages.deliver.claim(64)
    return claimed


def test_a_claim_that_is_never_reported_is_carried_again_after_its_lease(
    world: World, receiver: Receiver
) -> None:
    listen(world, receiver)
    first = claim_one(world)
    assert world.app.messages.deliver.claim(64) == ()
    world.advance(LEASE.total_seconds() + 1)
    second = claim_one(world)
    assert (second.message, second.tries) == (first.message, 2)


def test_a_late_success_counts_and_a_late_failure_does_not(world: World, receiver: Receiver) -> None:
    made, outgoing = listen(world, receiver), world.app.messages.deliver.outgoing
    first = claim_one(world)
    world.advance(LEASE.total_seconds() + 1)
    second = claim_one(world)
    assert outgoing.failed(first, LOST, world.app.store.now()) is None
    assert deliveries(world, made.endpoint)[0].state is DeliveryState.SENDING, "it is the second one's"
    outgoing.delivered(first, TAKEN)
    assert outgoing.failed(second, LOST, None) is None
    (one,) = deliveries(world, made.endpoint)
    assert (one.state, one.last_error) == (DeliveryState.DELIVERED, None)
    assert world.app.messages.see.all(world.operator)[0].endpoint.failing_since is None


def test_an_endpoint_gets_a_few_at_a_time_and_one_while_it_takes_nothing(
    world: World, receiver: Receiver
) -> None:
    made = listen(world, receiver, "limit.created")
    for n in range(2 * BESIDE):
        world.limit(5000 + n)
    world.app.messages.tell()
    deliver = world.app.messages.deliver
    claimed = deliver.claim(64)
    assert len(claimed) == BESIDE
    assert deliver.claim(64) == ()
    for one in claimed:
        deliver.outgoing.failed(one, LOST, world.app.store.now())
    assert len(deliver.claim(64)) == 1
    assert deliver.claim(64) == ()
    health = world.app.messages.see.all(world.operator)[0]
    assert (health.endpoint.id, health.waiting) == (made.endpoint.id, 2 * BESIDE)


def test_no_more_is_claimed_than_can_be_carried(world: World, receiver: Receiver) -> None:
    listen(world, receiver, "limit.created")
    for n in range(4):
        world.limit(5000 + n)
    world.app.messages.tell()
    assert len(world.app.messages.deliver.claim(3)) == 3
