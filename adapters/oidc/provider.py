"""The authorization code flow with PKCE (OpenID Connect Core 1.0 §3.1), by `joserfc` and `requests`.

Each answer is checked against what was asked: the browser brings back a sealed ticket, and the provider our state and
our nonce, signed by one of its keys with an asymmetric algorithm.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError

from adapters.oidc.documents import Documents
from adapters.oidc.wire import Wire, unavailable
from governor.domain.errors import Unauthenticated
from governor.ports.identity import Client, Identity, Started

log = structlog.get_logger(__name__)

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""What a token may be signed with: never nothing, and never a shared secret."""
_TICKET_SECONDS: Final = 600
_LEEWAY_SECONDS: Final = 60
_FRESH_SECONDS: Final = 300
_NONCE: Final = 12
_SUBJECT: Final = re.compile(r"[\x20-\x7e]{1,255}")
"""Core §2: 255 ASCII characters at most."""


@dataclass(frozen=True)
class _Trip:
    """What goes out, and has to come back."""

    state: str
    nonce: str
    verifier: str
    at: int
    fresh: bool


class _LieError(Exception):
    """Something that came back is not what it must be. `reason` says what, in our words alone."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OidcProvider:
    """`governor.ports.identity.IdentityProvider`. `now` is real time: the provider knows no development clock."""

    def __init__(
        self, client: Client, pepper: bytes, now: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        self._client = client
        self._now = now
        self._wire = Wire()
        self._documents = Documents(self._wire, client.issuer, monotonic)
        self._seal = AESGCM(
            HKDF(SHA256(), length=32, salt=None, info=b"governor sign-in tickets").derive(pepper)
        )

    def begin(self, *, fresh: bool) -> Started:
        """A new way out; `fresh` asks that they prove themselves there again."""
        endpoints = self._documents.endpoints()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        trip = _Trip(state, nonce, verifier, int(self._now().timestamp()), fresh)
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_url,
            "scope": "openid profile",
            "state": trip.state,
            "nonce": trip.nonce,
            "code_challenge": _base64url(hashlib.sha256(trip.verifier.encode()).digest()),
            "code_challenge_method": "S256",
            **({"prompt": "login", "max_age": "0"} if fresh else {}),
        }
        joint = "&" if urlsplit(endpoints.authorization).query else "?"
        ticket = self._sealed(trip)
        return Started(f"{endpoints.authorization}{joint}{urlencode(asked)}", ticket)

    def finish(self, ticket: str, answer: Mapping[str, str]) -> Identity:
        """Who came back with this ticket and these query parameters."""
        try:
            trip = self._opened(ticket)
            self._check_answer(trip, answer)
            return self._identity(trip, self._claims(trip, self._token(trip, answer["code"])))
        except _LieError as lie:
            log.warning("identity_refused", reason=lie.reason)
            raise _refused() from lie
        except JoseError as error:
            log.warning("identity_refused", reason=type(error).__name__)
            raise _refused() from error

    def _sealed(self, trip: _Trip) -> str:
        nonce = os.urandom(_NONCE)
        return _base64url(nonce + self._seal.encrypt(nonce, json.dumps(asdict(trip)).encode(), None))

    def _opened(self, ticket: str) -> _Trip:
        try:
            sealed = base64.urlsafe_b64decode(ticket + "=" * (-len(ticket) % 4))
            trip = _Trip(**json.loads(self._seal.decrypt(sealed[:_NONCE], sealed[_NONCE:], None)))
        except (ValueError, TypeError, InvalidTag) as error:
            raise _LieError("the ticket is not ours") from error
        if int(self._now().timestamp()) - trip.at > _TICKET_SECONDS:
            raise _LieError("the ticket is too old")
        return trip

    def _check_answer(self, trip: _Trip, answer: Mapping[str, str]) -> None:
        if not hmac.compare_digest(answer.get("state", "").encode(), trip.state.encode()):
            raise _LieError("the state is another's")
        issuer = answer.get("iss")
        if issuer != self._client.issuer and (issuer or self._documents.endpoints().names_itself):
            raise _LieError("another provider answers")
        if "error" in answer or not answer.get("code"):
            raise _LieError("the provider sends nobody")

    def _token(self, trip: _Trip, code: str) -> str:
        """The signed statement that the code stands for."""
        endpoints, client = self._documents.endpoints(), self._client
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_url,
            "code_verifier": trip.verifier,
        }
        headers = {"Accept": "application/json"}
        if endpoints.secret_in_body:
            form |= {"client_id": client.client_id, "client_secret": client.client_secret}
        else:
            pair = f"{quote(client.client_id, safe='')}:{quote(client.client_secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        said = self._wire.call("POST", endpoints.token, form, headers)
        if "error" in said:
            raise _LieError("the code is refused")
        if not isinstance(said.get("id_token"), str):
            raise unavailable("it sends no id_token")
        return str(said["id_token"])

    def _claims(self, trip: _Trip, token: str) -> dict[str, Any]:
        """What it says, once it is known that the provider says it, to us, now, in answer to this."""
        try:
            claims = jwt.decode(token, self._documents.keys(), algorithms=ALGORITHMS).claims
        except (InvalidKeyIdError, BadSignatureError):
            # The provider may have begun to sign with a new key.
            claims = jwt.decode(token, self._documents.keys(anew=True), algorithms=ALGORITHMS).claims
        required: dict[str, jwt.ClaimsOption] = {
            "iss": {"essential": True, "value": self._client.issuer},
            "aud": {"essential": True, "value": self._client.client_id},
            "nonce": {"essential": True, "value": trip.nonce},
            **{name: {"essential": True} for name in ("sub", "exp", "iat")},
        }
        now = int(self._now().timestamp())
        jwt.JWTClaimsRegistry(now, _LEEWAY_SECONDS, **required).validate(claims)
        # A token for others as well, or given to another, is not for us (Core §3.1.3.7, 3-5).
        if claims["aud"] not in (self._client.client_id, [self._client.client_id]):
            raise _LieError("the token is for others, too")
        if claims.get("azp", self._client.client_id) != self._client.client_id:
            raise _LieError("the token was given to another")
        return claims

    def _identity(self, trip: _Trip, claims: Mapping[str, Any]) -> Identity:
        told, now = claims.get("auth_time"), int(self._now().timestamp())
        proved_at = datetime.fromtimestamp(min(told, now), UTC) if type(told) is int and told > 0 else None
        if trip.fresh and (proved_at is None or now - proved_at.timestamp() > _FRESH_SECONDS):
            raise _LieError("they did not prove themselves again")
        if not _SUBJECT.fullmatch(claims["sub"]):
            raise _LieError("nobody can be named like this")
        groups = claims.get(self._client.groups_claim)
        return Identity(
            issuer=self._client.issuer,
            subject=claims["sub"],
            username=_text(claims.get("preferred_username")),
            name=_text(claims.get("name")),
            groups=tuple(str(one) for one in groups) if isinstance(groups, list) else (),
            proved_at=proved_at,
            trip=hashlib.sha256(trip.state.encode()).hexdigest(),
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _refused() -> Unauthenticated:
    return Unauthenticated("identity_refused", "This did not come back as it must; sign in again.")
