"""A request in doubt is looked at again until evidence says what happened; nothing is guessed meanwhile."""

from collections.abc import Callable

import pytest

from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.recovery import LOOKS_BEFORE_FLAG
from governor.ports.provider import RefundOrder
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.usecases.doubt import HOUR, TIMEOUT, in_doubt, look_after
from tests.usecases.doubt import clocked as clocked
from tests.usecases.doubt import limit as limit
from tests.usecases.doubt import provider as provider

NewWorld = Callable[..., World]


def creates(provider: FakeProvider) -> int:
    return len(provider.orders)


def test_nobody_looks_before_it_is_time(clocked: World, provider: FakeProvider) -> None:
    in_doubt(clocked, provider)
    assert clocked.app.recover_refund(clocked.environment) == 0
    assert not clocked.app.recover_refund.due(clocked.environment)


def test_a_call_that_never_arrived_is_sent_again_under_the_same_key(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    request = in_doubt(clocked, provider)
    assert look_after(clocked, 60) == 1
    assert clocked.now(request).state is State.SUCCEEDED
    assert provider.orders[0] == provider.orders[1], "word for word the same call"
    assert len(provider.executed(request.payment)) == 1
    assert clocked.headroom(limit) == 500


def test_a_call_whose_reply_was_lost_is_not_executed_twice(clocked: World, provider: FakeProvider) -> None:
    payment = clocked.payment(5000)
    provider.lose_next_reply()
    request = clocked.request(clocked.caller(), payment, 1500)
    clocked.drain(request)
    assert look_after(clocked, 60) == 1
    assert (clocked.now(request).state, len(provider.executed(payment))) == (State.SUCCEEDED, 1)


def test_what_nobody_wants_any_more_is_only_read(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    request = in_doubt(clocked, provider)
    clocked.app.cancel_refund(clocked.operator, request.id, fresh_key())
    for hours in range(1, 6):
        look_after(clocked, hours * 2 * HOUR)
    assert creates(provider) == 1, "a replay could execute what nobody wants any more"
    now = clocked.now(request)
    assert (now.state, clocked.headroom(limit)) == (State.UNKNOWN, 500), "an empty list proves nothing"


def test_an_old_key_is_never_sent_again(clocked: World, provider: FakeProvider) -> None:
    request = in_doubt(clocked, provider)
    look_after(clocked, 20 * HOUR)
    assert creates(provider) == 1
    assert clocked.now(request).state is State.UNKNOWN
    assert ("list_refunds", request.payment) in provider.calls


def test_a_young_key_is_sent_again(clocked: World, provider: FakeProvider) -> None:
    request = in_doubt(clocked, provider)
    look_after(clocked, 20 * HOUR - 60)
    assert (creates(provider), clocked.now(request).state) == (2, State.SUCCEEDED)


def test_each_of_many_is_sent_again_under_a_lease_that_began_when_its_turn_came(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    """Behind a provider that takes its time, a lease that waited for others would be over before its call."""
    clocked.change_cap(limit, 10_000)
    requests = [in_doubt(clocked, provider) for _ in range(3)]
    leased: list[int] = []

    def look_at_leases(_order: RefundOrder) -> None:
        leased.append(sum(clocked.now(one).state is State.DISPATCHING for one in requests))

    provider.before_call = look_at_leases
    assert look_after(clocked, 60) == 3
    assert leased == [1, 1, 1]
    assert {clocked.now(one).state for one in requests} == {State.SUCCEEDED}


def test_a_round_of_recovery_is_bounded_and_the_rest_keeps_its_turn(
    clocked: World, provider: FakeProvider, limit: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocked.change_cap(limit, 10_000)
    monkeypatch.setattr("governor.usecases.recover_refund.AT_MOST", 2)
    requests = [in_doubt(clocked, provider) for _ in range(3)]
    assert [look_after(clocked, 60), look_after(clocked, 60)] == [2, 1]
    assert {clocked.now(one).state for one in requests} == {State.SUCCEEDED}


def test_a_read_finds_what_a_lost_reply_made(clocked: World, provider: FakeProvider) -> None:
    payment = clocked.payment(5000)
    provider.lose_next_reply()
    request = clocked.request(clocked.caller(), payment, 1500)
    clocked.drain(request)
    look_after(clocked, 21 * HOUR)
    assert (creates(provider), clocked.now(request).state) == (1, State.SUCCEEDED)


def test_a_refund_made_elsewhere_for_the_same_amount_is_not_ours(
    clocked: World, provider: FakeProvider
) -> None:
    request = in_doubt(clocked, provider)
    provider.refund_elsewhere(request.payment, 1500)
    look_after(clocked, 21 * HOUR)
    assert clocked.now(request).state is State.UNKNOWN


def test_a_saved_500_is_read_and_not_replayed_for_ever(clocked: World, provider: FakeProvider) -> None:
    saved = Reply(Outcome.UNKNOWN, "http_500", 500)
    request = in_doubt(clocked, provider, saved, saved)
    for hour in range(1, 6):
        look_after(clocked, hour * HOUR)
    assert creates(provider) == 2, "the one replay said 500 again; from there on it is read"
    assert clocked.now(request).state is State.UNKNOWN


def test_a_stopped_environment_is_read_and_not_written(clocked: World, provider: FakeProvider) -> None:
    """Case 87: a stop holds on every path, and recovery's reads go on."""
    request = in_doubt(clocked, provider)
    provider.answer_next(Reply(Outcome.NOT_EXECUTED, "http_401", 401, alarm=Alarm.PAUSE_ENVIRONMENT))
    refused = clocked.request(clocked.caller(name="other"), clocked.payment(5000), 100)
    clocked.drain(refused)
    look_after(clocked, HOUR)
    assert creates(provider) == 2, "the first call and the one whose key was refused"
    clocked.app.change_environment.acknowledge(clocked.operator, "key replaced")
    look_after(clocked, 3 * HOUR)
    assert clocked.now(request).state is State.SUCCEEDED


def test_looking_never_ends_in_silence(clocked: World, provider: FakeProvider, limit: Limit) -> None:
    """Case 44: when the looks run out an operator is asked; the hold stays."""
    request = in_doubt(clocked, provider, *[TIMEOUT] * 10)
    for hour in range(1, LOOKS_BEFORE_FLAG + 2):
        look_after(clocked, hour * 2 * HOUR)
    now = clocked.now(request)
    assert now.flagged_at is not None
    assert (now.state, clocked.headroom(limit)) == (State.UNKNOWN, 500)
    assert now.due_at is not None, "and the looking goes on"


def test_a_provider_that_cannot_be_read_proves_nothing(clocked: World, provider: FakeProvider) -> None:
    request = in_doubt(clocked, provider)
    provider.unavailable = True
    look_after(clocked, 21 * HOUR)
    assert clocked.now(request).state is State.UNKNOWN


def test_a_refusal_without_proof_becomes_one_when_nothing_is_there(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    """STRIPE.md §2b, rows 9 and 12: unknown, then not executed after one list read."""
    request = in_doubt(clocked, provider, Reply(Outcome.UNKNOWN, "refused_without_proof", 400))
    clocked.app.cancel_refund(clocked.operator, request.id, fresh_key())
    look_after(clocked, HOUR)
    assert (clocked.now(request).state, clocked.headroom(limit)) == (State.FAILED, 2000)


def test_a_pending_refund_settles_when_the_provider_says_so(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    """Case 39: pending is neither success nor failure; it is held, and not sent again."""
    provider.next_status = "pending"
    request = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    clocked.drain(request)
    assert (clocked.now(request).state, clocked.headroom(limit)) == (State.PROVIDER_PENDING, 500)
    look_after(clocked, HOUR)
    assert clocked.now(request).state is State.PROVIDER_PENDING
    provider.set_status(provider.executed(request.payment)[0].id, "succeeded")
    look_after(clocked, 2 * HOUR)
    assert (clocked.now(request).state, creates(provider)) == (State.SUCCEEDED, 1)


def test_a_pending_refund_that_fails_gives_its_room_back(
    clocked: World, provider: FakeProvider, limit: Limit
) -> None:
    provider.next_status = "pending"
    request = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    clocked.drain(request)
    provider.set_status(provider.executed(request.payment)[0].id, "failed")
    look_after(clocked, HOUR)
    assert (clocked.now(request).state, clocked.headroom(limit)) == (State.FAILED, 2000)


def test_a_key_the_provider_never_saw_does_not_grow_old(clocked: World, provider: FakeProvider) -> None:
    """A provider that refused our key for a day has not seen the request: it is sent when the key works."""
    provider.answer_next(Reply(Outcome.NOT_EXECUTED, "http_401", 401, alarm=Alarm.PAUSE_ENVIRONMENT))
    request = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    clocked.drain(request)
    clocked.advance(30 * HOUR)
    clocked.app.change_environment.acknowledge(clocked.operator, "key replaced")
    assert clocked.drain(request) == 1
    assert (clocked.now(request).state, creates(provider)) == (State.SUCCEEDED, 2)


def test_a_key_of_another_account_sends_nothing(clocked: World, provider: FakeProvider) -> None:
    request = clocked.request(clocked.caller(), clocked.payment(5000), 1500)
    provider.account = "acct_other"
    clocked.drain(request)
    now = clocked.now(request)
    assert (now.state, now.last_reason, creates(provider)) == (State.QUEUED, "account_changed", 0)
