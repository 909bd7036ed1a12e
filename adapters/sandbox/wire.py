"""Bytes in, bytes out: one HTTP/1.1 request read from a socket, one answer written in a single send."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from typing import BinaryIO, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from adapters.sandbox.shelf import Document

_LINE_BYTES = 65_536
_HEADER_LINES = 200
_BODY_BYTES = 1_048_576


class BadRequest(Exception):
    """These bytes are no HTTP request that the twin understands."""


@dataclass(frozen=True)
class Request:
    """One HTTP request. Header names are lower-case; the path is decoded and has no query."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def idempotency_key(self) -> str | None:
        """The ``Idempotency-Key``; it means something on POST only (STRIPE.md §3)."""
        return (self.headers.get("idempotency-key") or None) if self.method == "POST" else None

    def form(self) -> list[tuple[str, str]]:
        """The sent parameters, flat: the query, then the form body."""
        return self.query + parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)

    @property
    def wants_close(self) -> bool:
        """True when the client will not send another request on this connection."""
        return self.headers.get("connection", "").lower() == "close"


@dataclass(frozen=True)
class Answer:
    """Status, headers and the exact body bytes."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        """Head and body in one piece, so that they leave in one packet where they fit."""
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Date: {formatdate(usegmt=True)}",
        ]
        headers = {"Content-Type": "application/json", **self.headers, "Stripe-Sandbox": "governor"}
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(self.body)}", "", ""]
        return "\r\n".join(lines).encode("latin-1", "replace") + self.body


Ending = Literal["keep", "close", "reset", "truncate"]


@dataclass(frozen=True)
class Reply:
    """What happens on the connection: an answer is sent whole, cut in half, or not at all."""

    answer: Answer | None
    ending: Ending = "keep"


def json_bytes(document: Document | list[str]) -> bytes:
    """The document as compact UTF-8 JSON."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def json_answer(status: int, document: Document, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer with a JSON body."""
    return Answer(status, json_bytes(document), headers or {})


def read_request(stream: BinaryIO) -> Request | None:
    """The next request of a connection, or None when the client closed it.

    Raises:
        BadRequest: for bytes that are no HTTP/1.x request with a length.
    """
    first = stream.readline(_LINE_BYTES)
    if not first:
        return None
    parts = first.decode("latin-1").split()
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadRequest("this is no HTTP/1.x request line")
    headers = _read_headers(stream)
    if "transfer-encoding" in headers:
        raise BadRequest("send a Content-Length: chunked bodies are not read")
    target = urlsplit(parts[1])
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > _BODY_BYTES:
        raise BadRequest(f"Content-Length must be a number up to {_BODY_BYTES}")
    body = stream.read(int(length))
    if len(body) < int(length):
        return None
    query = parse_qsl(target.query, keep_blank_values=True)
    if parts[2] == "HTTP/1.0":
        headers["connection"] = "close"
    return Request(parts[0], unquote(target.path), query, headers, body)


def _read_headers(stream: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    for _ in range(_HEADER_LINES):
        line = stream.readline(_LINE_BYTES).decode("latin-1").rstrip("\r\n")
        if not line:
            return headers
        name, colon, value = line.partition(":")
        if not colon:
            raise BadRequest("a header line has no colon")
        headers[name.strip().lower()] = value.strip()
    raise BadRequest(f"more than {_HEADER_LINES} header lines")
