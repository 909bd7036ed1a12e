"""A small HTTP/1.1 client for load: one kept connection a thread, whole answers, and nothing else."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.client import HTTPConnection
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

ANSWER_SECONDS = 60.0


class UnexpectedAnswerError(Exception):
    """The server answered something else than the bench asked for."""


class Caller:
    """Calls one server. Threads may share it: each has its own connection."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._own = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes this thread's connection; a process that ends closes the others."""
        self._connection().close()

    def __call__(
        self,
        method: str,
        path: str,
        sent: object = None,
        *,
        expect: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Any:  # noqa: ANN401  JSON values are any
        """The JSON of the answer.

        Raises:
            UnexpectedAnswerError: another status than `expect`. OSError: no answer.
        """
        body = None if sent is None else json.dumps(sent).encode()
        connection = self._connection()
        connection.request(method, path, body, {**self._headers, **(headers or {})})
        response = connection.getresponse()
        raw = response.read()
        if response.status != expect:
            raise UnexpectedAnswerError(f"{method} {path}: {response.status} {raw[:500]!r}")
        return json.loads(raw)

    def _connection(self) -> HTTPConnection:
        connection: HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = HTTPConnection(self._host, self._port, timeout=ANSWER_SECONDS)
        return connection
