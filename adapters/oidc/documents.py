"""What the provider publishes: where its endpoints are, and the keys it signs with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from adapters.oidc.wire import Wire, unavailable
from governor.domain.on_the_way import private_on_the_way

_KEPT_SECONDS: Final = 3600.0
"""How long what was read is believed. A key that the provider has taken back opens nothing after that."""
_AGAIN_SECONDS: Final = 60.0
"""How soon it is read again for a key that is not among those known: a token must not make us read at will."""
_WAIT_SECONDS: Final = 1.0
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

    def __init__(self, wire: Wire, issuer: str, monotonic: Callable[[], float]) -> None:
        self._wire = wire
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
        # Who reads them may take long: nobody waits for that, and whoever comes a moment later finds them.
        if not self._lock.acquire(timeout=_WAIT_SECONDS):
            raise unavailable("it is being asked")
        try:
            if self._read is None or self._monotonic() - self._read[0] >= at_most_seconds:
                endpoints = self._endpoints()
                self._read = (self._monotonic(), endpoints, _keys_in(self._wire.call("GET", endpoints.keys)))
            return self._read[1:]
        finally:
            self._lock.release()

    def _endpoints(self) -> Endpoints:
        said = self._wire.call("GET", f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
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
    keys = [one for one in listed if _is_public(one)] if isinstance(listed, list) else []
    try:
        return KeySet.import_key_set({"keys": keys})
    except (JoseError, ValueError, TypeError) as error:
        raise unavailable("its keys cannot be read") from error


def _is_public(key: object) -> bool:
    return isinstance(key, dict) and key.get("kty") in _KEY_KINDS
