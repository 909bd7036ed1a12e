"""Stripe's rate in a sandbox is 25 calls a second (STRIPE.md §6), whoever sends them."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from governor.usecases.dispatch_refund import Claim, DispatchRefund
from tests.builders import World, close
from tests.races.at_once import at_once
from workers.drain import NEXT_TOKEN_SECONDS, drain

RATE = 25
QUEUED = 60


def test_the_providers_rate_is_kept_in_every_second_by_all_workers_together(
    new_world: Callable[..., World],
) -> None:
    world = new_world(rate_per_second=RATE)
    world.limit(10**6)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 100) for _ in range(QUEUED)]
    other = world.another_process()
    try:
        sent = at_once([partial(drain, app, requests[0].id) for app in (world.app, other)])
    finally:
        close(other)
    assert sum(sent) == len(world.writes()) == QUEUED
    claimed = _claimed_at(world)
    assert len(claimed) == QUEUED
    pairs = zip(claimed, claimed[RATE:], strict=False)
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in pairs)


def _claimed_at(world: World) -> list[datetime]:
    """When each call was let go. When it arrives is also a matter of the machine, which may hold up some until others come."""
    with world.app.store.reading() as reads:
        rows = reads.audit(world.environment, after=0, at_most=10_000)
    return [row.at for row in rows if row.entry.action == "refund_request.claimed"]


class _CountingDispatch(DispatchRefund):
    """The real one, which also counts how often somebody tried to claim."""

    tries: ClassVar[list[str]] = []

    def claim(self, environment: str, at_most: int) -> list[Claim]:
        self.tries.append(environment)
        return super().claim(environment, at_most)


def test_who_waits_for_the_rate_does_not_trouble_the_database(new_world: Callable[..., World]) -> None:
    """A worker without a token looks again when one may have come, not as fast as it can."""
    world = new_world(rate_per_second=2)
    world.limit(10**6)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 100) for _ in range(3)]
    real = world.app.dispatch_refund
    counting = _CountingDispatch(real.store, real.provider, real.monotonic)
    started = time.monotonic()
    assert drain(replace(world.app, dispatch_refund=counting), requests[0].id) == 3
    looks_per_second = len(counting.tries) / (time.monotonic() - started)
    assert looks_per_second <= 1 / NEXT_TOKEN_SECONDS + RATE
