"""Where Stripe brings its events (RELIABILITY §4.9): what is answered, and that nothing is answered unstored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
import structlog
from flask import Flask

from governor.api.app import create_app
from governor.api.webhooks import MAX_EVENT_BYTES
from governor.bootstrap import Application
from tests.api.wire import Got, InProcess, Sent
from tests.builders import World, application, close
from tests.servers import libpq
from tests.stripe.bodies import refund
from tests.stripe.webhooks import SECRET, body_of, event, signed

PATH = "/webhooks/stripe/test"
CANARY = "TRAP cardholder@example.com"


@pytest.fixture(scope="module")
def hooked(world: World) -> Application:
    """The application, with secrets: of the environment, and of one that nobody founded."""
    secrets: dict[str, tuple[str, ...]] = {"test": (SECRET, "whsec_two"), "unfounded": (SECRET,)}
    record = replace(world.app.record_provider_event, secrets=lambda name: secrets.get(name, ()))
    return replace(world.app, record_provider_event=record)


def surface(app: Application) -> Flask:
    return create_app(app, trusted_hosts=["localhost"], cursor_key=b"k" * 32)


@pytest.fixture(scope="module")
def app(hooked: Application) -> Flask:
    return surface(hooked)


@pytest.fixture
def kept(world: World) -> Iterator[Callable[[], list[tuple[Any, ...]]]]:
    """What is in the inbox: id and type of each event; it is empty at first."""
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        session.execute("DELETE FROM provider_events")
        yield lambda: session.execute("SELECT id, type FROM provider_events ORDER BY id").fetchall()


def bring(
    app: Flask,
    world: World,
    body: bytes,
    *,
    path: str = PATH,
    method: str = "POST",
    secret: str = SECRET,
    host: str = "localhost",
    signature: str | None = None,
) -> Got:
    """As Stripe does, now."""
    header = signature if signature is not None else signed(body, world.app.store.real_now(), secret)
    headers = (
        ("Host", host),
        ("Content-Type", "application/json; charset=utf-8"),
        ("Stripe-Signature", header),
    )
    return InProcess(app)(Sent(method, path, headers, body))


Kept = Callable[[], list[tuple[Any, ...]]]


def test_an_event_is_stored_and_then_answered(app: Flask, world: World, kept: Kept) -> None:
    got = bring(app, world, body_of(event()))
    assert (got.status, got.json) == (200, {"received": True})
    assert kept() == [("evt_1", "refund.created")]
    assert world.app.inbox.anything_due("test") == "evt_1"


def test_the_same_event_again_is_answered_and_kept_once(app: Flask, world: World, kept: Kept) -> None:
    """RELIABILITY H3, 173: also when the count of its own deliveries has changed meanwhile."""
    with structlog.testing.capture_logs() as logged:
        for body in (body_of(event()), body_of(event()), body_of(event(pending_webhooks=0))):
            assert bring(app, world, body).status == 200
    assert [one["taken"] for one in logged] == ["kept", "known", "known"]
    assert len(kept()) == 1


def test_the_same_id_with_other_contents_is_answered_and_noted(app: Flask, world: World, kept: Kept) -> None:
    """RELIABILITY 173."""
    bring(app, world, body_of(event()))
    with structlog.testing.capture_logs() as logged:
        got = bring(app, world, body_of(event(data={"object": refund(payment_intent="pi_2")})))
    assert (got.status, len(kept())) == (200, 1)
    assert [(one["taken"], one["log_level"]) for one in logged] == [("contradicts", "warning")]


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        (event(livemode=True), "live_mode"),
        (event(account="acct_other"), "another_account"),
        (event(type="customer.created"), "not_about_refunds"),
        (event(type="refund.something_new"), "not_about_refunds"),
    ],
)
def test_what_we_never_want_is_answered_and_forgotten(
    app: Flask, world: World, kept: Kept, told: dict[str, Any], taken: str
) -> None:
    """RELIABILITY H6, 172, 174: not stored, but said in the log."""
    with structlog.testing.capture_logs() as logged:
        got = bring(app, world, body_of(told))
    assert (got.status, kept()) == (200, [])
    assert [(one["event"], one["id"], one["taken"]) for one in logged] == [
        ("webhook.received", "evt_1", taken)
    ]


def test_an_event_of_the_environments_own_account_is_kept(app: Flask, world: World, kept: Kept) -> None:
    assert bring(app, world, body_of(event(account="acct_fake"))).status == 200
    assert len(kept()) == 1


@pytest.mark.parametrize("told", [event(api_version="2019-01-01"), event(data={"object": None})])
def test_what_is_odd_but_genuine_is_kept(app: Flask, world: World, kept: Kept, told: dict[str, Any]) -> None:
    """RELIABILITY 174, 175: the object is read anew anyway."""
    assert bring(app, world, body_of(told)).status == 200
    assert len(kept()) == 1


def test_either_secret_will_do_while_one_replaces_the_other(app: Flask, world: World, kept: Kept) -> None:
    """RELIABILITY H9."""
    assert bring(app, world, body_of(event(id="evt_1")), secret=SECRET).status == 200
    assert bring(app, world, body_of(event(id="evt_2")), secret="whsec_two").status == 200
    assert bring(app, world, body_of(event(id="evt_3")), secret="whsec_old").code == "webhook_signature"
    assert [one for one, _ in kept()] == ["evt_1", "evt_2"]


TRAP = body_of(event(description=CANARY))


@pytest.mark.parametrize(
    ("body", "changes", "status", "code"),
    [
        (TRAP, {"signature": ""}, 400, "webhook_signature"),
        (TRAP, {"signature": "t=1,v1=" + "0" * 64}, 400, "webhook_signature"),
        (TRAP, {"secret": "whsec_another"}, 400, "webhook_signature"),
        (b"\xff" + TRAP, {}, 400, "webhook_unreadable"),
        (TRAP[:-1], {}, 400, "webhook_unreadable"),
        (b"", {}, 400, "webhook_unreadable"),
        (b"id=evt_1&type=refund.created", {"signature": "t=1,v1=0"}, 400, "webhook_signature"),
        (TRAP, {"path": "/webhooks/stripe/other"}, 404, "environment_not_found"),
        (TRAP, {"path": "/webhooks/stripe/unfounded"}, 404, "environment_not_found"),
        (TRAP, {"path": "/webhooks/stripe"}, 404, "not_found"),
        (TRAP, {"path": "/webhooks/other/test"}, 404, "not_found"),
        (TRAP, {"path": PATH + "/"}, 404, "not_found"),
        (TRAP, {"method": "GET"}, 405, "method_not_allowed"),
        (TRAP, {"host": "evil.example"}, 400, "host_not_trusted"),
        (b" " * (MAX_EVENT_BYTES + 1), {}, 413, "body_too_large"),
    ],
)  # fmt: skip
def test_what_cannot_be_believed_or_read_is_a_problem_and_leaves_nothing(
    app: Flask, world: World, kept: Kept, body: bytes, changes: dict[str, Any], status: int, code: str
) -> None:
    """RELIABILITY 169-178. Neither the answer nor the log repeats anything of it."""
    with structlog.testing.capture_logs() as logged:
        got = bring(app, world, body, **changes)
    assert (got.status, got.code) == (status, code)
    assert kept() == []
    assert CANARY not in repr((got.body, logged))


def test_the_log_of_a_webhook_names_the_event_and_nothing_in_it(app: Flask, world: World, kept: Kept) -> None:
    with structlog.testing.capture_logs() as logged:
        bring(app, world, TRAP)
    assert len(kept()) == 1
    assert set(logged[0]) == {"event", "log_level", "environment", "id", "type", "taken"}


def test_a_webhook_may_be_as_large_as_a_mebibyte(app: Flask, world: World, kept: Kept) -> None:
    """RELIABILITY 177: the API's own limit is a sixteenth of that, and stays."""
    body = body_of(event(padding=""))
    body = body_of(event(padding="x" * (MAX_EVENT_BYTES - len(body))))
    assert len(body) == MAX_EVENT_BYTES
    assert bring(app, world, body).status == 200
    assert len(kept()) == 1
    api = InProcess(app)(Sent("POST", "/api/v1/limits", (("Host", "localhost"),), body))
    assert api.status in {401, 413}


def test_a_signature_is_judged_by_the_databases_time_and_not_by_a_moved_clock(
    app: Flask, world: World, kept: Kept
) -> None:
    """RELIABILITY J13, 170: five minutes, to both sides."""
    body = body_of(event())
    for minutes, status in ((-6, 400), (-4, 200), (4, 200), (6, 400), (60, 400)):
        then = world.app.store.real_now() + timedelta(minutes=minutes)
        assert bring(app, world, body, signature=signed(body, then)).status == status
    assert len(kept()) == 1


def test_while_the_database_is_away_nothing_is_acknowledged(
    hooked: Application, world: World, kept: Kept
) -> None:
    """RELIABILITY H1, H2, 180, case 48: Stripe hears 503 and comes again."""
    away = application("postgresql+psycopg://nobody@127.0.0.1:1/nothing", world.redis_url, world.provider)
    record = hooked.record_provider_event
    body = body_of(event())
    try:
        broken = [
            replace(record, store=away.store, real_time=away.store.real_now),
            # It goes away in the last moment.
            replace(record, inbox=away.inbox),
        ]
        for one in broken:
            got = bring(surface(replace(hooked, record_provider_event=one)), world, body)
            assert (got.status, got.json["retryable"]) == (503, True)
            assert got.code in {"decision_not_recorded", "event_not_recorded"}
            assert "Retry-After" in got.headers
    finally:
        close(away)
        world.provider.now = world.app.store.now  # type: ignore[union-attr]  # this world's provider is the fake
    assert kept() == []
    assert bring(surface(hooked), world, body).status == 200
    assert json.loads(body)["id"] == kept()[0][0]
