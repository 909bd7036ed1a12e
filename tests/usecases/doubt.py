"""Doubt to tell stories of: a world with a clock and a limit of 2000, and requests whose calls ended in doubt.

A test module takes what it needs: `from tests.usecases.doubt import clocked as clocked`.
"""

from collections.abc import Callable

import pytest

from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.fakes.provider import FakeProvider

HOUR = 3600
TIMEOUT = Reply(Outcome.UNKNOWN, "read_timeout")


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def clocked(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider, clock=True)


@pytest.fixture(autouse=True)
def limit(clocked: World) -> Limit:
    return clocked.limit(2000)


def in_doubt(world: World, provider: FakeProvider, *replies: Reply) -> RefundRequest:
    """A request of 1500 whose first call ended in doubt."""
    payment = world.payment(5000)
    for reply in replies or (TIMEOUT,):
        provider.answer_next(reply)
    request = world.request(world.caller(), payment, 1500)
    world.drain(request)
    assert world.now(request).state is State.UNKNOWN
    return request


def look_after(world: World, seconds: int) -> int:
    """One round of recovery so many seconds from now."""
    world.advance(seconds)
    return world.app.recover_refund(world.environment)
