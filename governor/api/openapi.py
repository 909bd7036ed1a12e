"""The OpenAPI 3.1 document, drawn from the route table, the models and the problem registry."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from governor.api.inputs import BatchLineIn
from governor.api.openapi_parts import HEADERS, PARAMETERS, PROBLEM_SCHEMA, QUERY_SCHEMAS
from governor.api.permissions import ALLOWED
from governor.api.problems import MEDIA_TYPE, PROBLEMS
from governor.api.route import READING, Route

Json = dict[str, Any]

_EVERYWHERE = (
    "query_invalid",
    "target_malformed",
    "host_not_trusted",
    "bad_request",
    "credential_missing",
    "credential_invalid",
    "role_not_allowed",
    "rate_limited",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "internal_error",
    "invariant_broken",
)
_WITH_BODY = ("malformed_json", "body_too_large", "unsupported_media_type", "validation_failed")
_KEYED = ("idempotency_key_missing", "idempotency_key_malformed", "idempotency_key_reused")
_READING = ("database_unavailable",)
_WRITING = ("idempotency_in_flight", "decision_not_recorded")


def build_openapi(routes: Sequence[Route]) -> Json:
    """The whole document."""
    paths: dict[str, Json] = defaultdict(dict)
    for route in routes:
        paths[re.sub(r"<(\w+)>", r"{\1}", route.rule)][route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "governor",
            "version": "1",
            "description": "Governed refunds. Amounts are integers of Stripe's minor units; times are RFC 3339 in"
            " UTC. Enums are open: readers must expect new words. Every answer that is no success is"
            " application/problem+json, and its `code` is the contract.",
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "paths": dict(paths),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "gvk_…"}},
            "schemas": _schemas(routes),
            "parameters": PARAMETERS,
            "headers": HEADERS,
        },
    }


def _schemas(routes: Iterable[Route]) -> Json:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(BatchLineIn, "validation"): None}
    for route in routes:
        if route.answer is not None:
            wanted[(route.answer, "serialization")] = None
        if route.body is not None:
            wanted[(route.body, "validation")] = None
    _, schemas = models_json_schema(list(wanted), ref_template="#/components/schemas/{model}")
    codes = {code: {"status": one.status, "title": one.title} for code, one in PROBLEMS.items()}
    return {**schemas["$defs"], "Problem": PROBLEM_SCHEMA | {"x-codes": codes}}


def _operation(route: Route) -> Json:
    roles = sorted(ALLOWED[(route.method, route.rule)])
    operation: Json = {
        "operationId": route.endpoint,
        "tags": [route.rule.split("/")[3]],
        "summary": route.summary,
        "description": f"Roles: {', '.join(roles)}.",
        "x-roles": roles,
        "parameters": _parameters(route),
        "responses": _successes(route) | _failures(route),
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": not route.body_optional,
            "content": {"application/json": {"schema": _reference(route.body)}},
        }
    return operation


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _parameters(route: Route) -> list[Json]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"<(\w+)>", route.rule)
    ]
    in_query = [{"name": name, "in": "query", **QUERY_SCHEMAS[name]} for name in route.parameters]
    named = ["Traceparent"]
    named += ["IdempotencyKey"] if route.keyed else []
    named += ["IfMatch"] if route.conditional else []
    named += ["Prefer"] if route.waits else []
    return in_path + in_query + [{"$ref": f"#/components/parameters/{name}"} for name in named]


_COUNTED = ("RateLimit-Policy", "RateLimit")
"""Told wherever a key was known and calls are counted."""


def _successes(route: Route) -> Json:
    names = ["Request-Id", *_COUNTED, *route.headers]
    names += ["Preference-Applied"] if route.waits else []
    names += ["Link"] if route.listing else []
    content = {} if route.answer is None else {"application/json": {"schema": _reference(route.answer)}}
    content |= {media: {"schema": {"type": "string"}} for media in route.files}
    return {
        str(status): {
            "description": _MEANING[status],
            "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
            "content": content,
        }
        for status in route.statuses
    }


_MEANING = {
    200: "As it stands.",
    201: "Created.",
    202: "Recorded and not final: capacity is held.",
    207: "Each line has its own answer; at least one was not admitted.",
}


def _failures(route: Route) -> Json:
    codes = [*_EVERYWHERE, *route.problems]
    codes += _WITH_BODY if route.body is not None else ()
    codes += _KEYED if route.keyed else ()
    codes += _READING if route.method in READING else _WRITING
    codes += ["cursor_invalid"] if route.listing else []
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in dict.fromkeys(codes):
        by_status[PROBLEMS[code].status].append(code)
    return {str(status): _failure(by_status[status]) for status in sorted(by_status)}


def _failure(codes: list[str]) -> Json:
    named = ["Request-Id", *_COUNTED]
    named += ["WWW-Authenticate"] if "credential_missing" in codes else []
    named += ["Allow"] if "method_not_allowed" in codes else []
    named += ["Retry-After"] if any(PROBLEMS[code].retryable for code in codes) else []
    # A denial is recorded: it is found under its Location, and replayed.
    named += ["Location", "Idempotent-Replayed", "Preference-Applied"] if "limit_exceeded" in codes else []
    lines = [f"`{code}`: {PROBLEMS[code].title}." for code in codes]
    return {
        "description": "  \n".join(lines),
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in named},
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        "x-codes": codes,
    }
