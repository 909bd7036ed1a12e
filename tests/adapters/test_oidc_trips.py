"""The way to the provider and back, and a provider that does not do its part: RELIABILITY §5.2 T45."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event, Semaphore
from typing import Any

import pytest

from adapters.oidc.provider import OidcProvider
from adapters.oidc.wire import Wire
from governor.domain.errors import Unauthenticated, Unavailable
from tests.adapters.oidc import Clock, come_back, moved, refused, relying_party, with_, without
from tests.adapters.oidc import clock as clock
from tests.adapters.oidc import idp as idp
from tests.adapters.oidc import provider as provider
from tests.fakes.idp import Idp
from tests.stack import PATIENCE_SECONDS


def test_the_way_back_is_the_way_out(idp: Idp, provider: OidcProvider, clock: Clock) -> None:
    refused(idp, provider, state="another")
    refused(idp, provider, state="")
    refused(idp, provider, iss="https://idp.example")
    refused(idp, provider, iss="")
    refused(idp, provider, code="")
    refused(idp, provider, code="another")
    refused(idp, provider, error="access_denied")
    started, other = provider.begin(fresh=False), provider.begin(fresh=False)
    answer = idp.visit(started.url)
    for ticket in (other.ticket, "", "x", started.ticket[:-2] + "AA", started.ticket + "é"):
        with pytest.raises(Unauthenticated, match="identity_refused"):
            provider.finish(ticket, answer)
    assert provider.finish(started.ticket, answer).subject == "sub-ada"
    with pytest.raises(Unauthenticated, match="identity_refused"):
        provider.finish(started.ticket, answer)
    started = provider.begin(fresh=False)
    answer = idp.visit(started.url)
    clock.ahead = timedelta(seconds=602)
    with pytest.raises(Unauthenticated, match="identity_refused"):
        provider.finish(started.ticket, answer)


def test_the_code_of_another_client_or_of_another_browser_is_refused(
    idp: Idp, provider: OidcProvider, clock: Clock
) -> None:
    """Injected into somebody's own way back: PKCE binds the code to who asked for it."""
    stolen = idp.visit(provider.begin(fresh=False).url)["code"]
    refused(idp, provider, code=stolen)
    other = relying_party(idp, clock, "another-client")
    refused(idp, provider, code=idp.visit(other.begin(fresh=False).url)["code"])


def test_who_has_to_prove_themselves_again_has_done_so(idp: Idp, provider: OidcProvider) -> None:
    assert "max_age=0" in provider.begin(fresh=True).url
    assert come_back(idp, provider, fresh=True).proved_at is not None
    for lie in (
        without("auth_time"),
        moved("auth_time", -400),
        with_(auth_time="now"),
        with_(auth_time=True),
    ):
        idp.change = lie
        refused(idp, provider, fresh=True)
    idp.change = without("auth_time")
    assert come_back(idp, provider).proved_at is None
    idp.change = with_(auth_time=10**30)
    assert (come_back(idp, provider).proved_at or datetime.max.replace(tzinfo=UTC)) <= datetime.now(UTC)  # noqa: TID251 - dated by real time


@pytest.mark.parametrize(
    ("path", "broken"),
    [
        ("/.well-known/openid-configuration", (500, b"{}")),
        ("/.well-known/openid-configuration", (302, b"{}")),
        ("/.well-known/openid-configuration", (200, b"<html>")),
        ("/.well-known/openid-configuration", (200, b"[]")),
        ("/keys", (200, b'{"keys": 1}')),
        ("/keys", (200, b'{"keys": [{"kty": "RSA"}]}')),
        ("/keys", (200, b'{"keys": ["RSA"]}')),
        ("/keys", (200, b"[" * 100_000)),
        ("/keys", (200, b" " * (1024 * 1024 + 2))),
        ("/token", (503, b"{}")),
        ("/token", (200, b"{}")),
    ],
)
def test_a_provider_that_is_away_or_out_of_its_mind_lets_nobody_in(
    idp: Idp, provider: OidcProvider, path: str, broken: tuple[int, bytes]
) -> None:
    idp.broken = lambda asked: broken if asked == path else None
    with pytest.raises((Unavailable, Unauthenticated)) as refusal:
        come_back(idp, provider)
    assert refusal.value.code in {"identity_provider_unavailable", "identity_refused"}
    idp.broken = lambda _path: None


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://idp.example"},
        {"token_endpoint": "http://idp.example/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
def test_a_provider_that_says_it_is_another_or_sends_us_elsewhere_is_not_followed(
    idp: Idp, provider: OidcProvider, metadata: dict[str, Any]
) -> None:
    idp.metadata = metadata
    with pytest.raises(Unavailable, match="identity_provider_unavailable"):
        provider.begin(fresh=False)
    idp.metadata = {}
    assert come_back(idp, provider).subject == "sub-ada"


def test_a_provider_that_hangs_takes_few_threads_and_the_others_are_told_at_once(idp: Idp) -> None:
    """RELIABILITY §5.2 T14: the stop works meanwhile."""
    asked, go_on = Semaphore(0), Event()

    def hang(_path: str) -> None:
        asked.release()
        assert go_on.wait(PATIENCE_SECONDS)

    idp.broken = hang
    wire = Wire()
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(wire.call, "GET", f"{idp.issuer}/keys") for _ in range(4)]
        for _ in waiting:
            assert asked.acquire(timeout=PATIENCE_SECONDS)
        with pytest.raises(Unavailable, match="too many ask it now"):
            wire.call("GET", f"{idp.issuer}/keys")
        go_on.set()
        assert [set(one.result()) for one in waiting] == [{"keys"}] * 4
    assert set(wire.call("GET", f"{idp.issuer}/keys")) == {"keys"}


def test_nobody_waits_for_somebody_who_reads_what_the_provider_publishes(
    idp: Idp, provider: OidcProvider
) -> None:
    asked, go_on = Event(), Event()

    def hang(_path: str) -> None:
        asked.set()
        assert go_on.wait(PATIENCE_SECONDS)

    idp.broken = hang
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(provider.begin, fresh=False)
        assert asked.wait(PATIENCE_SECONDS)
        with pytest.raises(Unavailable, match="it is being asked"):
            provider.begin(fresh=False)
        go_on.set()
        assert first.result().url.startswith(idp.issuer)
