"""Reconciling while refunds go on: nobody is sent to look at what was only on its way."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from governor.domain.payments import ProviderRefund
from governor.domain.reconciliation import Report
from governor.ports.provider import PaymentProvider
from governor.usecases.reconcile import PERIOD
from tests.builders import World
from tests.fakes.provider import FakeProvider

FAR = datetime(2099, 1, 1, tzinfo=UTC)


@dataclass
class Meanwhile(FakeProvider):
    """A provider at which something happens right after its list was read."""

    happens: Callable[[], object] = lambda: None

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        listed = super().list_refunds_since(since)
        self.happens()
        return listed


@pytest.fixture
def provider() -> Meanwhile:
    return Meanwhile()


@pytest.fixture
def here(new_world: Callable[..., World], provider: Meanwhile) -> World:
    world = new_world(provider=provider)
    world.limit(1_000_000)
    return world


def refunded(world: World) -> None:
    world.drain(world.request(world.caller(name="meanwhile"), world.payment(), 700))


def explained(report: Report) -> list[str]:
    return [line.explanation.value for line in report.lines]


def reconciled(world: World, provider: PaymentProvider, since: datetime | None = None) -> Report:
    use = replace(world.app.reconcile, provider=provider)
    return use(world.environment, "usd", since, FAR, ask_provider=True)


def test_a_refund_made_after_the_provider_was_listed_is_not_missing_there(
    here: World, provider: Meanwhile
) -> None:
    provider.happens = lambda: refunded(here)
    since = here.app.store.now() - timedelta(hours=1)
    assert explained(reconciled(here, provider, since)) == ["matches"]


def test_a_refund_that_the_provider_does_not_have_is_missing(here: World) -> None:
    since = here.app.store.now()
    refunded(here)
    assert explained(reconciled(here, FakeProvider(), since)) == ["not_at_provider"]


def test_a_refund_whose_reply_is_still_out_is_in_doubt_and_no_stranger(
    here: World, provider: Meanwhile
) -> None:
    since = here.app.store.now()
    provider.lose_next_reply()
    refunded(here)
    provider.refund_elsewhere(here.payment(), 300)
    assert explained(reconciled(here, provider, since)) == ["in_doubt", "not_in_books"]


def test_the_provider_may_have_made_a_refund_before_the_period_by_its_own_clock(
    here: World, provider: Meanwhile
) -> None:
    provider.now = lambda: here.app.store.now() - timedelta(seconds=2)
    provider.refund_elsewhere(here.payment(), 300)
    since = here.app.store.now()
    refunded(here)
    assert explained(reconciled(here, provider, since)) == ["matches"], "and what is older is not its matter"


def test_without_a_period_it_is_about_what_led_up_to_now(here: World, provider: Meanwhile) -> None:
    use = replace(here.app.reconcile, provider=provider)
    report = use(here.environment, "usd", ask_provider=True)
    assert (report.until, report.until - report.since) == (report.made_at, PERIOD)
