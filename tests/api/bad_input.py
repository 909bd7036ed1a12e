"""One bad input of fixtures/bad_inputs: how it is read from its file, and how it becomes a request.

A case names the routes it is for, or its own method and target. `raw` is base64, or pieces of it with how often
each repeats. `headers` replace the good ones: null leaves one out, a list sends it more than once. `{key}` stands
for the caller's key. `server` is what a real server answers where it refuses before the application is asked.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.api.wire import Sent

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "bad_inputs"


@dataclass(frozen=True)
class Place:
    """A route by its short name: who calls it rightly, and where it is. `{hold}` and `{request}` are open ones."""

    caller: str
    method: str
    target: str


PLACES = {
    "refund_requests": Place("agent", "POST", "/api/v1/refund-requests"),
    "preview": Place("agent", "POST", "/api/v1/refund-requests/preview"),
    "batches": Place("agent", "POST", "/api/v1/refund-batches"),
    "batch_line": Place("agent", "POST", "/api/v1/refund-batches"),
    "decisions": Place("approver", "POST", "/api/v1/holds/{hold}/decisions"),
    "answers": Place("agent", "POST", "/api/v1/refund-requests/{request}/answers"),
    "cancel": Place("agent", "POST", "/api/v1/refund-requests/{request}/cancel"),
    "limits": Place("operator", "POST", "/api/v1/limits"),
    "credentials": Place("operator", "POST", "/api/v1/credentials"),
    "environment": Place("operator", "PUT", "/api/v1/environment"),
}


@dataclass(frozen=True)
class Stage:
    """What the cases are played on. `keys` are the callers' keys, `words` stand for the `{…}` in cases."""

    keys: dict[str, str]
    words: dict[str, str]
    if_match: str


@dataclass(frozen=True)
class Case:
    """One bad input on one route."""

    file: str
    name: str
    route: str
    expect: dict[str, Any]
    raw: Any = None
    headers: dict[str, Any] = field(default_factory=dict)
    method: str | None = None
    target: str | None = None
    query: str = ""
    caller: str | None = None
    audited: int = 0
    server: dict[str, Any] | None = None

    def __str__(self) -> str:
        """Its name in the test's own name; only what is printable ASCII."""
        return ascii(f"{self.file} {self.route} {self.name}")

    @property
    def in_line(self) -> bool:
        """Whether it is one line of a batch, so that its answer is in the batch's answer."""
        return self.route == "batch_line"

    def request(self, stage: Stage) -> Sent:
        """The request, byte for byte."""
        place = PLACES.get(self.route, PLACES["refund_requests"])
        words = stage.words | {"key": stage.keys[self.caller or place.caller]}
        headers: dict[str, Any] = {
            "Host": "localhost",
            "Authorization": "Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": "abcdefgh",
            "If-Match": stage.if_match,
        }
        headers |= self.headers
        sent = tuple(
            (name, _filled(value, words))
            for name, values in headers.items()
            for value in ([] if values is None else values if isinstance(values, list) else [values])
        )
        target = _filled((self.target or place.target) + self.query, words)
        return Sent(self.method or place.method, target, sent, self._body(words))

    def _body(self, words: dict[str, str]) -> bytes | None:
        if self.raw is None:
            return None
        pieces = self.raw if isinstance(self.raw, list) else [[self.raw, 1]]
        body = b"".join(base64.b64decode(piece) * times for piece, times in pieces)
        body = body.replace(b"{key}", words["key"].encode())
        if not self.in_line:
            return body
        keyed = b"" if b'"operation_key"' in body else b'"operation_key":"abcdefgh",'
        return b'{"lines":[{' + keyed + body[1:] + b"]}"


def _filled(text: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def cases() -> Iterator[Case]:
    """Every case of every file, once for each of its routes."""
    for path in sorted(FOLDER.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            fields = {name: value for name, value in entry.items() if name != "routes"}
            for route in entry["routes"] or ["target"]:
                yield Case(file=path.stem, route=route, **fields)
