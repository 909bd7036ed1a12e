"""A wire that holds every answer to the OpenAPI document: status, code, headers and body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from jsonschema import Draft202012Validator

from tests.api.wire import Got, Sent, Wire

# Answered by every route, before or beside what its operation says.
UNROUTED = {"not_found", "method_not_allowed", "target_malformed", "host_not_trusted", "bad_request"}
HEADERS_OF_EVERY_ANSWER = {"Content-Type", "Content-Length"}


@dataclass(frozen=True)
class HeldToContract:
    """Sends on, and looks at what comes back."""

    wire: Wire
    document: dict[str, Any]

    def __call__(self, sent: Sent) -> Got:
        """The answer, if it is one that the document allows."""
        got = self.wire(sent)
        operation = self._operation(sent)
        if operation is None:
            assert got.status in {400, 404, 405}, (sent, got)
            assert sent.method == "HEAD" or got.code in UNROUTED, (sent, got)
            return got
        if got.status == 304:
            return got
        documented = operation["responses"].get(str(got.status))
        assert documented is not None, (
            f"{operation['operationId']} does not document {got.status}: {got.body!r}"
        )
        self._check_headers(documented, got)
        media = got.headers["Content-Type"].removesuffix("; charset=utf-8")
        assert media in documented["content"]
        content = documented["content"][media]
        if sent.method != "HEAD" and "$ref" in content["schema"]:
            self._check_body(content["schema"], got)
        if got.code is not None:
            assert got.code in documented["x-codes"], (
                f"{operation['operationId']} does not document {got.code}"
            )
        return got

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
        """Paths without arguments first, as routing prefers them."""
        ordered = sorted(self.document["paths"].items(), key=lambda item: item[0].count("{"))
        return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), item) for path, item in ordered]

    def _operation(self, sent: Sent) -> dict[str, Any] | None:
        path = sent.target.partition("?")[0]
        method = "get" if sent.method == "HEAD" else sent.method.lower()
        for pattern, item in self._paths:
            if pattern.fullmatch(path):
                operation: dict[str, Any] | None = item.get(method)
                return operation
        return None

    def _check_headers(self, documented: dict[str, Any], got: Got) -> None:
        """What a client is meant to act on is documented; `Request-Id` is on every answer."""
        told = set(self.document["components"]["headers"]) & {name for name, _ in got.headers}
        assert told <= set(documented["headers"]), told - set(documented["headers"])
        assert "Request-Id" in told

    def _check_body(self, schema: dict[str, Any], got: Got) -> None:
        errors = sorted(self._validator(schema["$ref"]).iter_errors(got.json), key=str)
        assert errors == [], errors

    @cache  # noqa: B019 - the wires live as long as the module of tests they serve
    def _validator(self, reference: str) -> Draft202012Validator:
        whole = {"$ref": reference, "components": self.document["components"]}
        return Draft202012Validator(whole)

    def __hash__(self) -> int:
        """One per document; documents are not compared."""
        return id(self.document)
