"""Sending one request, byte for byte as it is written, to the application in this process or to a real server."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.client import HTTPResponse
from io import BytesIO
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.stack import PATIENCE_SECONDS


@dataclass(frozen=True)
class Sent:
    """A request. `headers` may repeat a name; nothing is added to them but the length of the body."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True)
class Got:
    """An answer. Header names are as they came; `json` is None when there is no JSON in it."""

    status: int
    headers: Headers
    body: bytes = field(repr=False)

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The problem's code, of a problem."""
        if not self.body or self.headers.get("Content-Type") != "application/problem+json":
            return None
        return str(self.json["code"])


class Wire(Protocol):
    """Takes a request to governor and brings its answer."""

    def __call__(self, sent: Sent) -> Got: ...


@dataclass(frozen=True)
class InProcess:
    """The WSGI application, called as a server calls it."""

    app: Flask

    def __call__(self, sent: Sent) -> Got:
        """One call. The target is handed over as servers do: raw, and its path decoded as Latin-1."""
        path, _, query = sent.target.partition("?")
        builder = EnvironBuilder(method=sent.method, query_string=query, headers=list(sent.headers))
        builder.content_type = None
        environ = builder.get_environ()
        environ["RAW_URI"] = environ["REQUEST_URI"] = sent.target
        environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1")
        environ["REMOTE_ADDR"] = "127.0.0.1"
        environ.pop("HTTP_HOST", None)
        environ |= _cgi(sent.headers)
        if sent.body is not None:
            environ["wsgi.input"], environ["CONTENT_LENGTH"] = BytesIO(sent.body), str(len(sent.body))
        chunks, status, headers = run_wsgi_app(self.app, environ, buffered=True)
        return Got(int(status.split()[0]), Headers(headers), b"".join(chunks))


def _cgi(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers as WSGI has them: repeated ones joined by a comma, as gunicorn does."""
    joined: dict[str, str] = {}
    for name, value in headers:
        key = name.upper().replace("-", "_")
        key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
        joined[key] = f"{joined[key]},{value}" if key in joined else value
    return joined


@dataclass(frozen=True)
class OverSocket:
    """A real server on a loopback port."""

    port: int

    def __call__(self, sent: Sent) -> Got:
        """One connection, one request, one answer."""
        lines = [f"{sent.method} {sent.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in sent.headers]
        if sent.body is not None:
            lines.append(f"Content-Length: {len(sent.body)}")
        head = "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(head + (sent.body or b""))
            response = HTTPResponse(connection, method=sent.method)
            response.begin()
            with response:
                return Got(response.status, Headers(response.getheaders()), response.read())
