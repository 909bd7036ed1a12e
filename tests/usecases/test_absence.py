"""What nobody wants any more is given up when nothing of it is found, long after its key's life, and only then."""

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.usecases.doubt import HOUR, TIMEOUT, in_doubt, look_after
from tests.usecases.doubt import clocked as clocked
from tests.usecases.doubt import limit as limit
from tests.usecases.doubt import provider as provider


def cancelled_in_doubt(world: World, provider: FakeProvider, *replies: Reply) -> RefundRequest:
    """A request whose call was lost before the provider saw it, and which nobody wants any more."""
    request = in_doubt(world, provider, *replies)
    agent = world.app.authenticate(world.key(Role.OPERATOR, "canceller", kind=Kind.HUMAN))
    world.app.cancel_refund(agent, request.id, fresh_key("cancel"))
    return request


def hold_of(world: World, request: RefundRequest) -> str:
    """What the request does with the room that it took."""
    with world.app.store.reading() as reads:
        (hold,) = reads.holds(world.environment, request.id)
    return hold.state


def test_what_nobody_wants_is_canceled_once_two_empty_looks_a_day_apart_are_long_after_the_keys_life(
    clocked: World, provider: FakeProvider
) -> None:
    request = cancelled_in_doubt(clocked, provider)
    for hours in (1, 25, 49, 60):
        look_after(clocked, hours * HOUR)
        assert (clocked.now(request).state, hold_of(clocked, request)) == (State.UNKNOWN, "held"), hours
    look_after(clocked, 74 * HOUR)
    after = clocked.now(request)
    assert (after.state, after.last_reason) == (State.CANCELED, "absent_for_good")
    assert len(provider.orders) == 1, "nothing was ever sent again"
    assert hold_of(clocked, request) == "released"


def test_what_is_still_wanted_is_never_given_up_for_want_of_a_trace(
    clocked: World, provider: FakeProvider
) -> None:
    request = in_doubt(clocked, provider, TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT)
    for hours in (49, 74, 99, 24 * 30):
        look_after(clocked, hours * HOUR)
    assert (clocked.now(request).state, hold_of(clocked, request)) == (State.UNKNOWN, "held")


def test_a_silence_of_events_that_the_provider_has_forgotten_proves_nothing(
    clocked: World, provider: FakeProvider
) -> None:
    """In doubt for a month, and only then not wanted any more: nobody can tell by the key what it made."""
    request = in_doubt(clocked, provider, TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT)
    provider.announce_only(request.payment, f"governor-{request.id}")
    clocked.advance(31 * 24 * HOUR)
    provider.events.clear()
    clocked.app.cancel_refund(clocked.operator, request.id, fresh_key("cancel"))
    for days in (32, 34, 36):
        look_after(clocked, days * 24 * HOUR)
    assert (clocked.now(request).state, hold_of(clocked, request)) == (State.UNKNOWN, "held")


def test_after_a_500_the_provider_may_still_carry_it_out_so_only_people_can_end_it(
    clocked: World, provider: FakeProvider
) -> None:
    saved = Reply(Outcome.UNKNOWN, "http_500", 500, "req_1")
    request = cancelled_in_doubt(clocked, provider, saved)
    for hours in (49, 74, 99):
        look_after(clocked, hours * HOUR)
    assert clocked.now(request).state is State.UNKNOWN


def test_an_event_that_names_the_key_is_a_trace_though_the_list_is_empty(
    clocked: World, provider: FakeProvider
) -> None:
    """RELIABILITY H11: the events say refunded, the list says not: the hold is kept until they agree."""
    request = cancelled_in_doubt(clocked, provider)
    provider.announce_only(request.payment, f"governor-{request.id}")
    for hours in (49, 74, 99):
        look_after(clocked, hours * HOUR)
    assert clocked.now(request).state is State.UNKNOWN


def test_a_refund_that_appears_after_all_that_is_booked_and_halts(
    clocked: World, provider: FakeProvider
) -> None:
    request = cancelled_in_doubt(clocked, provider)
    for hours in (49, 74):
        look_after(clocked, hours * HOUR)
    provider.refund_for(request.payment, 1500, request.id)
    clocked.app.catch_up(clocked.environment)
    clocked.app.read_inbox(clocked.environment)
    assert clocked.now(request).state is State.SUCCEEDED
    assert str(clocked.app.queries.environment(clocked.operator).halted_reason).startswith("overrun")
