"""The twin's own deliveries to a real web process: kept once however they come, read by a real worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from redis import Redis

from adapters.queue.doorbell import QUEUE
from governor.ports.inbox import Received
from governor.ports.provider import ProviderEvent
from tests.builders import STRIPE_KEY, World
from tests.proxy import Proxy
from tests.servers import libpq
from tests.stack import Stack, eventually
from tests.stripe.webhooks import endpoint_at
from tests.twin import Twin
from workers import cron


@pytest.fixture
def proxy(database_url: str) -> Iterator[Proxy]:
    with Proxy(database_url) as proxy:
        yield proxy


@pytest.fixture
def hooked(world: World, twin: Twin, proxy: Proxy, stack_of: Callable[..., Stack], tmp_path: Path) -> Stack:
    """A web process to which the twin brings every event; the secret reaches it while it runs."""
    secrets = tmp_path / "secrets.json"
    stack = stack_of(world, webhook_secrets_file=secrets, database_url=SecretStr(proxy.url))
    stack.start("web")
    secret = endpoint_at(twin, STRIPE_KEY, f"http://127.0.0.1:{stack.port}/webhooks/stripe/test")
    secrets.write_text(f'{{"test": ["whsec_before", "{secret}"]}}', encoding="utf-8")
    return stack


@pytest.fixture
def inbox(world: World) -> Iterator[Callable[[], list[tuple[Any, ...]]]]:
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        yield lambda: session.execute(
            "SELECT type, refund, result FROM provider_events ORDER BY happened_at, type DESC"
        ).fetchall()


@pytest.mark.parametrize("mode", ["normal", "duplicate", "reorder"])
def test_what_the_twin_tells_is_kept_once_however_it_comes(
    world: World, twin: Twin, hooked: Stack, inbox: Callable[[], list[tuple[Any, ...]]], mode: str
) -> None:
    """RELIABILITY H3, H5; cases 47, 50: a refund of the Dashboard, told by two events."""
    twin.webhooks(mode)
    refund = twin.dashboard_refund(world.payment(5000), 700)["id"]
    told = ["refund.created", "charge.refunded"] * (2 if mode == "duplicate" else 1)

    def brought() -> list[str]:
        return [one["type"] for one in twin.webhooks()["attempts"] if one["type"] in told]

    twin.until(lambda: sorted(brought()) == sorted(told))
    # What bears on no refund was brought, too, and is answered and forgotten.
    assert {one["outcome"] for one in twin.webhooks()["attempts"]} == {200}, hooked.said("web")
    assert [(kind, about) for kind, about, _ in inbox()] == [
        ("refund.created", refund),
        ("charge.refunded", None),
    ]


def test_what_came_in_is_read_by_a_worker_whom_cron_rings(
    world: World, twin: Twin, hooked: Stack, inbox: Callable[[], list[tuple[Any, ...]]]
) -> None:
    """RELIABILITY H4: whoever dies in between, the event waits."""
    payment = world.payment(5000)
    twin.dashboard_refund(payment, 700)
    eventually(lambda: len(inbox()) == 2, lambda: hooked.said("web"))
    hooked.kill("web")
    hooked.start("worker", "cron")
    eventually(lambda: {result for *_, result in inbox()} == {"seen"}, lambda: hooked.said("worker"))


def outcomes(twin: Twin, kind: str) -> list[object]:
    """How each attempt to bring an event of this type ended."""
    return [one["outcome"] for one in twin.webhooks()["attempts"] if one["type"] == kind]


def test_what_comes_while_the_database_is_away_is_refused_and_comes_again(
    world: World, twin: Twin, proxy: Proxy, hooked: Stack, inbox: Callable[[], list[tuple[Any, ...]]]
) -> None:
    """RELIABILITY H2; case 48: never a 2xx for what is not stored."""
    payment = world.payment(5000)
    proxy.accepts = False
    proxy.reset_all()
    twin.dashboard_refund(payment, 700)
    twin.until(lambda: outcomes(twin, "charge.refunded") == [503])
    assert inbox() == []
    proxy.accepts = True
    twin.advance(2)
    twin.until(lambda: outcomes(twin, "charge.refunded") == [503, 200])
    assert [kind for kind, *_ in inbox()] == ["refund.created", "charge.refunded"], hooked.said("web")


def test_an_event_whose_storing_nobody_heard_of_comes_again_and_is_kept_once(
    world: World, twin: Twin, proxy: Proxy, hooked: Stack, inbox: Callable[[], list[tuple[Any, ...]]]
) -> None:
    """RELIABILITY H3: the row is there, its commit's answer was lost, so nothing was acknowledged."""
    payment = world.payment(5000)
    twin.webhooks("withhold")
    twin.dashboard_refund(payment, 700)
    # The process says meanwhile that it lives, and commits that, too.
    proxy.cut_answer_to(b"COMMIT\x00", after=0, following=payment.encode())
    twin.webhooks("release")
    twin.until(lambda: outcomes(twin, "charge.refunded") == [200])
    assert (proxy.cuts, outcomes(twin, "refund.created")) == (1, [503])
    twin.advance(2)
    twin.until(lambda: outcomes(twin, "refund.created") == [503, 200])
    assert [kind for kind, *_ in inbox()] == ["refund.created", "charge.refunded"], hooked.said("web")
    assert "taken=known" in hooked.said("web")


def test_without_workers_an_inbox_is_rung_for_once_and_again_on_each_sweep(world: World) -> None:
    event = ProviderEvent("evt_1", "refund.created", world.app.store.now(), False, None, "pi_1", "re_1", None)
    world.app.inbox.keep("test", [Received.of(event)])
    rung = cron.Rung()
    with Redis.from_url(world.redis_url) as redis:
        for sweep, rings in ((True, 1), (False, 1), (False, 1), (True, 2), (False, 2)):
            cron.run_once(world.app, sweep=sweep, rung=rung)
            assert redis.llen(f"rq:queue:{QUEUE}") == rings
        world.app.inbox.done("test", ["evt_1"], "seen")
        cron.run_once(world.app, sweep=True, rung=rung)
        assert redis.llen(f"rq:queue:{QUEUE}") == 2
