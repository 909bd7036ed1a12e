"""One attempt is one HTTP call, and every attempt of an order is the same, byte for byte."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
import stripe

from adapters.stripe.access import StripeAccess
from adapters.stripe.client import API_VERSION
from adapters.stripe.provider import StripeProvider
from governor.domain.errors import Forbidden, Invalid
from governor.domain.outcome import Outcome, Reply
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import NOW, ORDER, STRIPE_SAYS, error, order, provider_at, refund
from tests.stripe.scripted import ScriptedServer, close, reply

OK = reply(200, refund(), STRIPE_SAYS)


def create(url: str, *, first: bool = True) -> Reply:
    return provider_at(url).create_refund(ORDER, first=first, deadline_seconds=PATIENCE_SECONDS)


def test_the_call_says_what_was_ordered_and_nothing_else() -> None:
    with ScriptedServer(OK) as server:
        create(server.url)
    (call,) = server.requests
    assert (call.method, call.path) == ("POST", "/v1/refunds")
    assert parse_qsl(call.body.decode()) == [
        ("payment_intent", "pi_1"),
        ("amount", "700"),
        ("reason", "requested_by_customer"),
        ("metadata[governor_refund_request]", "rr_1"),
    ]
    assert call.headers.pop("host").startswith("127.0.0.1:")
    assert call.headers == {
        "authorization": "Bearer sk_test_Loopback1",
        "idempotency-key": "governor-rr_1",
        "stripe-version": "2026-10-28.endive",
        "content-type": "application/x-www-form-urlencoded",
        "content-length": str(len(call.body)),
        "user-agent": f"Stripe/v1 PythonBindings/{stripe.VERSION} governor",
        "accept": "application/json",
        "accept-encoding": "identity",
        "connection": "keep-alive",
    }


def test_an_order_without_reason_sends_none() -> None:
    with ScriptedServer(OK) as server:
        provider_at(server.url).create_refund(
            order(reason=None), first=True, deadline_seconds=PATIENCE_SECONDS
        )
    assert b"reason" not in server.requests[0].body


def test_every_attempt_is_word_for_word_the_same() -> None:
    with ScriptedServer(close, reply(500, error("api_error")), OK) as server:
        create(server.url)
        create(server.url, first=False)
        create(server.url, first=False)
    first, second, third = ((call.path, call.headers, call.body) for call in server.requests)
    assert first == second == third


def test_the_pinned_version_is_the_one_this_sdk_was_made_for() -> None:
    assert stripe.api_version == API_VERSION


def test_the_ai_agent_that_may_have_started_us_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURSOR_AGENT", "1")
    with ScriptedServer(OK) as server:
        create(server.url)
    assert "cursor" not in str(server.requests[0].headers).lower()


def test_the_environment_names_no_proxy_for_refunds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with ScriptedServer(OK) as server:
        assert create(server.url).outcome is Outcome.ACCEPTED


def test_a_cookie_is_not_kept() -> None:
    with ScriptedServer(reply(200, refund(), {**STRIPE_SAYS, "Set-Cookie": "a=b; Path=/"})) as server:
        provider = provider_at(server.url)
        provider.create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
        provider.create_refund(ORDER, first=False, deadline_seconds=PATIENCE_SECONDS)
    assert "cookie" not in server.requests[1].headers


def test_a_notice_for_developers_changes_nothing() -> None:
    with ScriptedServer(reply(200, refund(), {**STRIPE_SAYS, "Stripe-Notice": "TRAP"})) as server:
        assert create(server.url).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize(
    "broken",
    [
        order(idempotency_key="a\r\nX-Evil: 1"),
        order(idempotency_key=""),
        order(idempotency_key="k" * 256),
        order(payment="ch_1"),
        order(payment="pi_1/../../v1/charges"),
        order(payment="pi_1\n"),
        order(request_id=""),
        order(request_id="r" * 501),
        order(amount_minor=0),
        order(amount_minor=True),
        order(amount_minor=7.0),
        order(reason="expired_uncaptured_charge"),
    ],
    ids=repr,
)
def test_what_the_sdk_would_send_unchecked_is_not_sent(broken: object) -> None:
    with ScriptedServer(OK) as server:
        provider = provider_at(server.url)
        first = provider.create_refund(broken, first=True, deadline_seconds=PATIENCE_SECONDS)  # type: ignore[arg-type]  # on purpose
        replay = provider.create_refund(broken, first=False, deadline_seconds=PATIENCE_SECONDS)  # type: ignore[arg-type]  # on purpose
    assert server.requests == []
    assert (first.outcome, replay.outcome) == (Outcome.REJECTED, Outcome.UNKNOWN)
    assert first.reason == replay.reason == "order_cannot_be_sent"


@pytest.mark.parametrize(
    "key", ["sk_live_1", "rk_live_1", "pk_test_1", "", "sk_test_", "sk_test_1\n", " sk_test_1"]
)
def test_only_a_test_key_is_accepted_and_no_key_is_repeated(key: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        StripeProvider(StripeAccess(key), now=lambda: NOW)
    assert refusal.value.code == "live_mode_refused"
    assert not key.strip() or key.strip() not in refusal.value.detail.replace("sk_test_ or rk_test_", "")


@pytest.mark.parametrize("url", ["ftp://x", "http://", "https://u:p@host", "http://host/path", "host:12111"])
def test_a_base_address_is_an_http_origin(url: str) -> None:
    with pytest.raises(Invalid):
        provider_at(url)
