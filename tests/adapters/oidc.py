"""A relying party and a provider that talk on loopback, and ways to change what the provider says."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.oidc.provider import OidcProvider
from governor.domain.errors import Unauthenticated
from governor.ports.identity import Client, Identity
from tests.fakes.idp import CLIENT_ID, CLIENT_SECRET, Claims, Idp, running_idp

REDIRECT = "https://governor.example/console/sign-in/oidc/callback"


class Clock:
    """Real time, moved by the test."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead  # noqa: TID251 - the provider's tokens are dated by real time

    def monotonic(self) -> float:
        return self.ahead.total_seconds()


@pytest.fixture
def idp() -> Iterator[Idp]:
    with running_idp() as idp:
        yield idp


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def provider(idp: Idp, clock: Clock) -> OidcProvider:
    return relying_party(idp, clock)


def relying_party(idp: Idp, clock: Clock, client_id: str = CLIENT_ID) -> OidcProvider:
    client = Client(idp.issuer, client_id, CLIENT_SECRET, REDIRECT, "groups")
    return OidcProvider(client, b"a pepper of tests, of tests, of tests", clock.now, clock.monotonic)


def come_back(idp: Idp, provider: OidcProvider, *, fresh: bool = False, **changed: str) -> Identity:
    started = provider.begin(fresh=fresh)
    return provider.finish(started.ticket, idp.visit(started.url) | changed)


def refused(idp: Idp, provider: OidcProvider, *, fresh: bool = False, **changed: str) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        come_back(idp, provider, fresh=fresh, **changed)
    assert str(refusal.value) == "identity_refused: This did not come back as it must; sign in again."


def without(name: str) -> Callable[[Claims], None]:
    return lambda claims: claims.pop(name)


def with_(**changed: Any) -> Callable[[Claims], None]:
    return lambda claims: claims.update(changed)


def moved(name: str, seconds: int) -> Callable[[Claims], None]:
    return lambda claims: claims.update({name: claims[name] + seconds})
