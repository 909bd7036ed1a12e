"""JSON over HTTP to our own services, as the command line needs it: one connection, no proxies, no redirects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import click

from governor.domain.errors import Unavailable

ANSWER_SECONDS = 40.0
"""Longer than the longest `Prefer: wait` (25 s), so that waiting is ended by the server and not by us."""


@dataclass(frozen=True)
class Answered:
    """A whole answer. `body` is its JSON value, None when there was none."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Wire:
    """A connection to one base address; opened when it is first used. Use as a context manager."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query:
            raise click.BadParameter("a URL is http(s)://host[:port]", param_hint="--url")
        connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = connect(parts.hostname, parts.port, timeout=ANSWER_SECONDS)
        self._base = parts.path.rstrip("/")
        self._shown = f"{parts.scheme}://{parts.netloc}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def call(
        self,
        method: str,
        path: str,
        sent: object = None,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Answered:
        """One call, of JSON or of a form; any status is an answer.

        Raises:
            Unavailable: `not_reachable` when nobody answers there, or not in JSON.
        """
        body = None if sent is None else json.dumps(sent).encode()
        typed = {"Content-Type": "application/json"} if body is not None else {}
        if form is not None:
            body, typed = urlencode(form).encode(), {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            self._connection.request(method, self._base + path, body, {**typed, **(headers or {})})
            response = self._connection.getresponse()
            raw = response.read()
            return Answered(response.status, dict(response.headers), json.loads(raw) if raw else None)
        except (OSError, HTTPException, ValueError) as error:
            self._connection.close()
            raise Unavailable("not_reachable", f"{self._shown} does not answer.") from error
