"""A desk to tell stories at: a world with a limit of 2000, two operators, and requests nobody knows the end of.

A test module takes what it needs: `from tests.usecases.at_the_desk import ann as ann`.
"""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.errors import GovernorError
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Ending
from governor.usecases.callers import Caller
from tests.builders import World
from tests.fakes.provider import FakeProvider

HOUR = 3600
TIMEOUT = Reply(Outcome.UNKNOWN, "read_timeout")
SUCCEEDED, FAILED = Ending


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def desk(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider, clock=True)


@pytest.fixture
def limit(desk: World) -> Limit:
    return desk.limit(2000)


@pytest.fixture
def ann(desk: World) -> Caller:
    return desk.caller(Role.OPERATOR, "ann", kind=Kind.HUMAN)


@pytest.fixture
def bob(desk: World) -> Caller:
    return desk.caller(Role.OPERATOR, "bob", kind=Kind.HUMAN)


def in_doubt(desk: World, provider: FakeProvider, *, executed: bool = False) -> RefundRequest:
    """A request of 1500 of olga's agent, whose only call ended in a timeout."""
    if executed:
        provider.lose_next_reply()
    else:
        provider.answer_next(TIMEOUT)
    payment = desk.payment(5000)
    request = desk.request(desk.caller(owner="olga", name="olgas-agent"), payment, 1500)
    desk.drain(request)
    now = desk.now(request)
    assert now.state is State.UNKNOWN
    return now


def trail(desk: World, request: RefundRequest) -> list[str]:
    pack = desk.app.unknown_desk.pack(desk.operator, request.id)
    return [sealed.entry.action for sealed in pack.trail]


def refused(raises: type[GovernorError], desk: World, person: Caller, request: RefundRequest) -> str:
    with pytest.raises(raises) as error:
        desk.resolve(person, request, SUCCEEDED)
    return error.value.code
