from collections.abc import Callable, Iterator

import pytest

from tests.builders import World, close
from tests.fakes.provider import FakeProvider
from tests.receiver import Receiver
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """A world in which messages may go to this machine, and governor's clock can be moved."""
    world = new_world(provider=FakeProvider(), clock=True)
    world.advance(0)
    close(world.app)
    world.app = world.another_process(loopback_endpoints=True, public_url="https://governor.example")
    return world


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Somebody else's server, which takes everything until it is told otherwise."""
    with Receiver() as running:
        yield running
