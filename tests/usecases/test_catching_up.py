"""What no webhook told is found by the provider's own lists: withheld for a day, it is still counted, and once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from governor.domain.errors import Conflict, Unavailable
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.payments import Dispute
from governor.domain.windows import WindowKind
from governor.ports.inbox import Received
from governor.ports.provider import ProviderEvent
from governor.usecases.catch_up import CaughtUp
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.twin import UNTIL_FORGOTTEN, Twin

HERE = "test"


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def here(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider)


def externals(world: World) -> list[tuple[int, str]]:
    with world.app.store.reading() as reads:
        kept = reads.list_external_refunds(HERE, after=None, at_most=100)
    return [(one.amount_minor, one.capacity.value) for one in kept]


def event(name: str, payment: str | None, **fields: Any) -> Received:
    """A webhook that says: look at this payment."""
    given = {"refund": None, "key": None, "account": None, "livemode": False} | fields
    happened_at = fields.pop("happened_at", None) or FakeProvider().now()
    told = ProviderEvent(id=name, type="refund.updated", happened_at=happened_at, payment=payment, **given)
    return Received(told, "0" * 64, b"{}")


def results(world: World) -> dict[str, str | None]:
    """What became of each event in the inbox."""
    with world.app.engine.connect() as connection:
        found = connection.execute(text("SELECT id, result FROM provider_events"))
        return {row.id: row.result for row in found}


def test_an_event_says_only_where_to_look_and_the_payment_is_read_anew(
    here: World, provider: FakeProvider
) -> None:
    limit, payment = here.limit(1000), here.payment(5000)
    provider.refund_elsewhere(payment, 700)
    here.app.inbox.keep(HERE, [event("evt_1", payment)])
    assert here.app.read_inbox(HERE) == 1
    assert (externals(here), here.headroom(limit)) == ([(700, "settled")], 300)
    assert results(here) == {"evt_1": "seen"}
    assert here.app.read_inbox(HERE) == 0


def test_a_webhook_that_is_read_before_our_own_reply_counts_once(world: World, twin: Twin) -> None:
    """Case 4: the refund is made, its event is read, and only then comes the reply to the call that made it."""
    limit, payment = world.limit(1000), world.payment(5000)
    request = world.request(world.caller(), payment, 98)
    twin.fault("delay_after", delay_ms=UNTIL_FORGOTTEN, path="/v1/refunds", method="POST")
    (claim,) = world.app.dispatch_refund.claim(HERE, 1)
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(world.app.dispatch_refund.send, claim)
        twin.until(lambda: len(twin.writes()) == 1)
        world.app.inbox.keep(HERE, [event("evt_1", payment)])
        assert world.app.read_inbox(HERE) == 1
        assert world.now(request).state is State.SUCCEEDED
        assert not sending.done(), "the twin's reply came before the event was read"
        twin.forget_faults()
        sending.result()
    after = world.now(request)
    assert (after.state, after.moved_minor) == (State.SUCCEEDED, 98)
    assert (world.headroom(limit), externals(world), len(twin.writes())) == (902, [], 1)


def test_events_in_any_order_and_any_number_end_alike(here: World, provider: FakeProvider) -> None:
    """Case 47: what an event claims does not matter, so neither does which came first."""
    limit, payment = here.limit(1000), here.payment(5000)
    request = here.request(here.caller(), payment, 300)
    here.drain(request)
    provider.refund_elsewhere(payment, 200)
    told = list(provider.events)
    for events in (told[::-1], told[1:], told):
        here.app.inbox.keep(HERE, [Received(one, "0" * 64, None) for one in events])
        here.app.read_inbox(HERE)
    assert (here.headroom(limit), externals(here)) == (500, [(200, "settled")])
    assert set(results(here).values()) == {"seen"}


def test_a_refund_of_ours_whose_metadata_was_edited_is_told_by_the_key_on_its_event(
    here: World, provider: FakeProvider
) -> None:
    limit, payment = here.limit(1000), here.payment(5000)
    request = here.request(here.caller(), payment, 300)
    provider.lose_next_reply()
    here.drain(request)
    provider.edit_metadata(payment)
    here.app.catch_up.events(HERE)
    here.app.read_inbox(HERE)
    assert here.now(request).state is State.SUCCEEDED
    assert (here.headroom(limit), externals(here)) == (700, [])


def test_what_was_taken_for_a_refund_made_elsewhere_and_is_ours_is_counted_once(
    here: World, provider: FakeProvider
) -> None:
    """The sweep saw it without its metadata before any event said by which key it was made."""
    limit, payment = here.limit(1000), here.payment(5000)
    request = here.request(here.caller(), payment, 300)
    provider.lose_next_reply()
    here.drain(request)
    provider.edit_metadata(payment)
    here.app.catch_up.refunds(HERE)
    assert (here.headroom(limit), externals(here)) == (400, [(300, "settled")]), "held and settled: in doubt"
    here.app.catch_up.events(HERE)
    here.app.read_inbox(HERE)
    assert (here.headroom(limit), externals(here)) == (700, [(300, "released")])
    assert here.now(request).state is State.SUCCEEDED


def test_webhooks_withheld_for_a_day_are_made_up_for(new_world: Callable[..., World], twin: Twin) -> None:
    """RELIABILITY H7: neither a refund of the Dashboard nor a late failure of our own needs a webhook."""
    world = new_world(clock=True)
    limit, agent = world.limit(10_000, window=WindowKind.LIFETIME), world.caller()
    ours, theirs = twin.payment(5000, card="pm_card_refundFail"), twin.payment(5000)
    request = world.request(agent, ours, 1500)
    world.drain(request)
    twin.dashboard_refund(theirs, 700)
    assert (world.now(request).state, world.headroom(limit)) == (State.SUCCEEDED, 8500)
    twin.advance(86_400)
    world.advance(86_400)
    found = world.app.catch_up.due(HERE)
    assert found.events >= 4
    assert found.refunds == 2
    world.app.read_inbox(HERE)
    assert (world.now(request).state, externals(world)) == (State.REVERSED, [(700, "settled")])
    assert world.headroom(limit) == 9300
    assert world.app.catch_up(HERE) == CaughtUp(0, 0)


def test_a_refund_that_fails_at_the_bank_ten_days_later_frees_its_own_window_and_is_not_made_again(
    new_world: Callable[..., World], twin: Twin
) -> None:
    """Case 40: succeeded, then `refund.failed`: reversed, the old day's room is back, and nothing is sent anew."""
    world = new_world(clock=True)
    limit = world.limit(2000)
    request = world.request(world.caller(), twin.payment(5000, card="pm_card_refundFail"), 1500)
    world.drain(request)
    twin.advance(10 * 86_400)
    world.advance(10 * 86_400)
    world.app.catch_up(HERE)
    world.app.read_inbox(HERE)
    after = world.now(request)
    assert (after.state, after.moved_minor) == (State.REVERSED, 0)
    (counter,) = world.app.queries.counters(world.operator, limit.id)
    assert (counter.row.settled, counter.row.reserved) == (0, 0)
    assert world.drain(request) == 0
    assert len(twin.writes()) == 1
    assert world.app.queries.environment(world.operator).halted_reason is None


def test_a_walk_goes_on_where_the_last_one_ended(here: World, provider: FakeProvider) -> None:
    here.limit(10_000)
    provider.refund_elsewhere(here.payment(5000), 100)
    assert here.app.catch_up(HERE) == CaughtUp(2, 1)
    assert here.app.catch_up(HERE) == CaughtUp(0, 0)
    provider.refund_elsewhere(here.payment(5000), 200)
    assert here.app.catch_up(HERE) == CaughtUp(2, 1)
    walk = here.app.inbox.walk(HERE, "refunds")
    assert walk is not None
    assert walk.walked_at is not None


def test_a_walk_that_failed_is_not_tried_again_at_once_and_loses_nothing(
    here: World, provider: FakeProvider
) -> None:
    here.limit(10_000)
    provider.refund_elsewhere(here.payment(5000), 100)
    provider.unavailable = True
    with pytest.raises(Unavailable):
        here.app.catch_up.events(HERE)
    provider.unavailable = False
    assert here.app.catch_up.due(HERE) == CaughtUp(0, 1), "events were tried a moment ago, refunds never"
    assert here.app.catch_up(HERE) == CaughtUp(2, 0)


def test_another_accounts_refunds_are_not_this_environments(here: World, provider: FakeProvider) -> None:
    """RELIABILITY D14: the provider key was changed to one of another account."""
    provider.account = "acct_other"
    provider.refund_elsewhere(here.payment(5000), 100)
    with pytest.raises(Conflict) as refused:
        here.app.catch_up(HERE)
    assert refused.value.code == "account_changed"
    assert externals(here) == []


def test_an_event_that_cannot_be_read_now_waits_for_its_turn(here: World, provider: FakeProvider) -> None:
    payment = here.payment(5000)
    here.app.inbox.keep(HERE, [event("evt_1", payment), event("evt_2", "pi_nobody"), event("evt_3", None)])
    provider.unavailable = True
    assert here.app.read_inbox(HERE) == 1
    assert results(here) == {"evt_1": None, "evt_2": None, "evt_3": "no_payment"}


def test_an_event_about_a_payment_that_nobody_knows_is_done_with(here: World) -> None:
    here.app.inbox.keep(HERE, [event("evt_2", "pi_nobody")])
    assert here.app.read_inbox(HERE) == 1
    assert results(here) == {"evt_2": "payment_not_found"}


def test_a_dispute_is_known_to_the_next_decision_at_once(here: World, provider: FakeProvider) -> None:
    here.limit(10_000)
    payment, agent = here.payment(5000), here.caller()
    assert here.request(agent, payment, 100).denial is None
    provider.dispute(payment, Dispute.OPEN)
    here.app.inbox.keep(HERE, [event("evt_1", payment)])
    here.app.read_inbox(HERE)
    assert here.request(agent, payment, 200).denial == "payment_disputed"


def test_a_refund_made_elsewhere_counts_for_its_customer_though_nobody_asked_for_the_payment(
    here: World, provider: FakeProvider
) -> None:
    limit = here.limit(1000, scope=Scope.CUSTOMER)
    provider.refund_elsewhere(here.payment(5000, customer="cus_9"), 700)
    here.app.catch_up.refunds(HERE)
    assert here.headroom(limit, "cus_9") == 300


def test_old_events_are_asked_for_no_further_back_than_the_provider_keeps_them(
    new_world: Callable[..., World], provider: FakeProvider
) -> None:
    world = new_world(provider=provider, clock=True)
    world.advance(timedelta(days=90).total_seconds())
    provider.refund_elsewhere(world.payment(5000), 100)
    assert world.app.catch_up.events(HERE) == 2
