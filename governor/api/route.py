"""A route as one value: how it is called, what it reads and what it answers. The OpenAPI is drawn from these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response
from pydantic import BaseModel

from governor.api.inputs import Input

READING = frozenset({"GET", "HEAD"})
"""Methods that only look."""


@dataclass(frozen=True)
class Route:
    """One method of one path.

    `handler` gets the Call and the path's arguments. `keyed` asks for an Idempotency-Key, `conditional` for
    If-Match; `waits` honours Prefer; a `listing` comes in pages; `files` are media types
    it answers in beside JSON, or instead when there is no `answer`; `headers` are the answer's own; `query` names the
    query parameters it knows. `problems` are the codes that are its own, beside
    those that every route can answer with.
    """

    method: str
    rule: str
    handler: Callable[..., Response]
    summary: str
    answer: type[BaseModel] | None
    statuses: tuple[int, ...] = (200,)
    body: type[Input] | None = None
    body_optional: bool = False
    keyed: bool = False
    conditional: bool = False
    waits: bool = False
    listing: bool = False
    files: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every query parameter that may be sent."""
        return (*self.query, "limit", "after") if self.listing else self.query

    @property
    def endpoint(self) -> str:
        """A name for the framework, and the OpenAPI's operation id: `post_refund_requests`."""
        words = self.rule.removeprefix("/api/v1/").replace("<", "").replace(">", "")
        return f"{self.method.lower()}_{words.replace('/', '_').replace('-', '_')}"
