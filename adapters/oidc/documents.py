"""What the provider publishes: where its endpoints are, and the keys it signs with."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import requests
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from urllib3.exceptions import HTTPError

from governor.domain.errors import Unavailable
from governor.domain.on_the_way import private_on_the_way

_SECONDS: Final = 5.0
_MOST_BYTES: Final = 1024 * 1024
_KEPT_SECONDS: Final = 3600.0
"""How long what was read is believed. A key that the provider has taken back opens nothing after that."""
_AGAIN_SECONDS: Final = 60.0
"""How soon it is read again for a key that is not among those known: a token must not make us read at will."""
_KEY_KINDS: Final = ("RSA", "EC", "OKP")
"""Public keys. A shared secret among them would make a forger of everybody who reads the document."""


@dataclass(frozen=True)
class Endpoints:
    """Where things are done at the provider."""

    authorization: str
    token: str
    keys: str
    names_itself: bool
    """Whether it sends its own name back with each answer (RFC 9207)."""
    secret_in_body: bool
    """Whether the client's secret can be sent in the body only."""


class Documents:
    """The provider's documents, read when they are needed and kept for a while. Safe to share between threads."""

    def __init__(self, issuer: str, monotonic: Callable[[], float]) -> None:
        self._issuer = issuer
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._read: tuple[float, Endpoints, KeySet] | None = None

    def endpoints(self) -> Endpoints:
        """Where things are done there.

        Raises:
            Unavailable: `identity_provider_unavailable`: it does not answer, or not with what it must.
        """
        return self._known(_KEPT_SECONDS)[0]

    def keys(self, *, anew: bool = False) -> KeySet:
        """The keys it signs with; `anew` when a key is not among them.

        Raises:
            Unavailable: `identity_provider_unavailable`.
        """
        return self._known(_AGAIN_SECONDS if anew else _KEPT_SECONDS)[1]

    def _known(self, at_most_seconds: float) -> tuple[Endpoints, KeySet]:
        with self._lock:
            if self._read is None or self._monotonic() - self._read[0] >= at_most_seconds:
                endpoints = self._endpoints()
                self._read = (self._monotonic(), endpoints, _keys_in(call("GET", endpoints.keys)))
            return self._read[1:]

    def _endpoints(self) -> Endpoints:
        said = call("GET", f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        if said.get("issuer") != self._issuer:
            raise unavailable("it is another provider that answers there")
        methods = said.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return Endpoints(
            authorization=_address(said, "authorization_endpoint"),
            token=_address(said, "token_endpoint"),
            keys=_address(said, "jwks_uri"),
            names_itself=said.get("authorization_response_iss_parameter_supported") is True,
            secret_in_body="client_secret_basic" not in methods,
        )


def _address(said: Mapping[str, Any], name: str) -> str:
    address = said.get(name)
    if not isinstance(address, str) or not private_on_the_way(address):
        raise unavailable(f"its {name} cannot be used")
    return address


def _keys_in(document: Mapping[str, Any]) -> KeySet:
    listed = document.get("keys")
    keys = [one for one in listed if one.get("kty") in _KEY_KINDS] if isinstance(listed, list) else []
    try:
        return KeySet.import_key_set({"keys": keys})
    except (JoseError, ValueError, TypeError) as error:
        raise unavailable("its keys cannot be read") from error


def call(
    method: str,
    url: str,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One call and its JSON object, of whatever status below 500. No redirects, no proxies, no cookies kept.

    Raises:
        Unavailable: `identity_provider_unavailable`.
    """
    try:
        with (
            _session() as session,
            session.request(
                method, url, data=form, headers=headers, timeout=_SECONDS, allow_redirects=False, stream=True
            ) as answer,
        ):
            status, said = (
                answer.status_code,
                json.loads(answer.raw.read(_MOST_BYTES + 1, decode_content=True)),
            )
    except (OSError, HTTPError, ValueError) as error:
        raise unavailable(type(error).__name__) from error
    if status >= 500 or 300 <= status < 400 or not isinstance(said, dict):
        raise unavailable(f"it answers {status}")
    return said


def _session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session


def unavailable(why: str) -> Unavailable:
    """The error of a provider that does not do its part."""
    return Unavailable("identity_provider_unavailable", f"The identity provider cannot be asked: {why}.")
