"""A small OpenID Connect provider on loopback that tells the truth, or whichever lie a test orders."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

Claims = dict[str, Any]
CLIENT_ID, CLIENT_SECRET = "governor-tests", "a secret of the provider's & ours"


@cache
def rsa_key(kid: str) -> RSAKey:
    """One key of each name for all tests: making one takes long."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


class Idp:
    """What it is: its keys, who is signed in there, and how it lies. Counts how often each path is asked."""

    def __init__(self) -> None:
        self.issuer = ""
        self.key = rsa_key("first")
        self.published: Sequence[RSAKey | ECKey] = [self.key]
        self.subject, self.username, self.name = "sub-ada", "ada", "Ada L."
        self.groups: list[str] = []
        self.asked: dict[str, int] = {}
        self.change: Callable[[Claims], None] = lambda _claims: None
        self.sign: Callable[[Claims], str] = self.signed
        self.metadata: dict[str, Any] = {}
        self.broken: Callable[[str], tuple[int, bytes] | None] = lambda _path: None
        self._codes: dict[str, Mapping[str, str]] = {}

    def signed(self, claims: Claims) -> str:
        """Truly signed."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def visit(self, url: str) -> dict[str, str]:
        """What a browser brings back when it is sent to `url` and its person says yes."""
        asked = dict(parse_qsl(urlsplit(url).query))
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return {"state": asked["state"], "code": code, "iss": self.issuer}

    def answer(self, path: str, form: Mapping[str, str], authorization: str) -> tuple[int, Any]:
        """One call of the relying party."""
        self.asked[path] = self.asked.get(path, 0) + 1
        if path == "/.well-known/openid-configuration":
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            addresses = {name: f"{self.issuer}/{path}" for name, path in names.items()}
            ours = {"issuer": self.issuer, "authorization_response_iss_parameter_supported": True}
            return 200, {**ours, **addresses, **self.metadata}
        if path == "/keys":
            return 200, KeySet(list(self.published)).as_dict(private=False)
        if path == "/token":
            return self._token(form, authorization)
        return 404, {}

    def _token(self, form: Mapping[str, str], authorization: str) -> tuple[int, Any]:
        asked = self._codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if (
            asked is None
            or pair != "governor-tests:a%20secret%20of%20the%20provider%27s%20%26%20ours"
            or asked["redirect_uri"] != form.get("redirect_uri")
            or asked["client_id"] != CLIENT_ID
            or base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())  # noqa: TID251 - the provider's own clock
        claims: Claims = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT_ID,
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
            "preferred_username": self.username,
            "name": self.name,
            "email": "ada@example.com",
            "groups": self.groups,
            "auth_time": now,
        }
        self.change(claims)
        return 200, {"access_token": "unused", "token_type": "Bearer", "id_token": self.sign(claims)}


@contextmanager
def running_idp() -> Iterator[Idp]:
    """A provider that answers until the block ends."""
    idp = Idp()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, form: Mapping[str, str]) -> None:
            path = urlsplit(self.path).path
            broken = idp.broken(path)
            if broken is None:
                status, said = idp.answer(path, form, self.headers.get("Authorization", ""))
                body = json.dumps(said).encode()
            else:
                status, body = broken
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(sent).items()})

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    idp.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield idp
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
