"""What nobody has thought of, in one message, is that message's trouble: it ends, and no other waits for it."""

from dataclasses import dataclass, replace

from structlog.testing import capture_logs

from adapters.sql.outgoing import LEASE
from governor.domain.deliveries import MOST_TRIES, DeliveryState, Receipt
from governor.domain.endpoints import EndpointKind
from governor.ports.couriers import Letter
from governor.usecases.deliver_messages import DeliverMessages
from tests.builders import World
from tests.messages.steps import deliveries, listen
from tests.receiver import Receiver
from workers import messenger


@dataclass(frozen=True)
class Broken:
    """Couriers with a fault: they raise, with everything they know in the text."""

    def check(self, kind: EndpointKind) -> None:
        """Any kind will do."""

    def carry(self, kind: EndpointKind, letter: Letter) -> Receipt:
        raise LookupError(f"{kind} {letter.target}")


def _broken(world: World) -> DeliverMessages:
    return replace(world.app.messages.deliver, couriers=Broken())


def test_a_courier_that_breaks_has_failed_to_carry_and_backs_off(world: World, receiver: Receiver) -> None:
    made = listen(world, receiver)
    world.app.messages.tell()
    deliver = _broken(world)
    with capture_logs() as logs:
        (claimed,) = deliver.claim(64)
        deliver.send(claimed)
    (one,) = deliveries(world, made.endpoint)
    assert (one.state, one.tries, one.last_error) == (DeliveryState.PENDING, 1, "internal_error")
    assert one.due_at is not None
    assert one.due_at > claimed.claimed_at, "it waits as after any other try that failed"
    (line,) = [told for told in logs if told["event"] == "delivery.broke"]
    assert (line["message"], line["error"]) == (one.message, "LookupError")
    assert receiver.url not in str(line)
    assert world.app.messages.see.all(world.operator)[0].endpoint.failing_since == claimed.claimed_at
    world.advance(60)
    messenger.run_once(world.app)
    assert deliveries(world, made.endpoint)[0].state is DeliveryState.DELIVERED


def test_what_is_never_recorded_ends_as_what_is_never_taken(world: World, receiver: Receiver) -> None:
    """A process that dies of a message dies of it so often, and then no more."""
    made = listen(world, receiver)
    world.app.messages.tell()
    deliver = _broken(world)
    for dead in range(MOST_TRIES):
        (claimed,) = deliver.claim(64)
        assert claimed.tries == dead + 1
        world.advance((dead + 1) * (LEASE.total_seconds() + 1))
    messenger.run_once(world.app)
    (one,) = deliveries(world, made.endpoint)
    assert (one.state, one.due_at, one.last_error) == (DeliveryState.GIVEN_UP, None, "never_recorded")
    assert receiver.calls == []
