"""The parts of the OpenAPI document that no model says: headers, query parameters and the problem's form."""

from __future__ import annotations

from typing import Any

from governor.domain.lifecycle import State

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}


def _header(description: str, schema: Json = _TEXT) -> Json:
    return {"description": description, "schema": schema}


HEADERS: dict[str, Json] = {
    "Request-Id": _header("Names this exchange in every log line and problem: `req_…`."),
    "Idempotent-Replayed": _header("`true` when the key had named this before.", {"const": "true"}),
    "Location": _header("The path of the refund request; also on a recorded denial (403)."),
    "Retry-After": _header("Seconds after which it is worth looking or asking again.", {"type": "integer"}),
    "Preference-Applied": _header("The wait that was applied (RFC 7240)."),
    "ETag": _header("What If-Match or If-None-Match names."),
    "Link": _header('The next page, `rel="next"`.'),
    "WWW-Authenticate": _header("The Bearer challenge (RFC 6750)."),
    "Audit-Rows": _header("The first and the last row of an export: `1-4711`."),
    "RateLimit-Policy": _header('How many calls a key has in how many seconds: `"key";q=1200;w=60`.'),
    "RateLimit": _header('How many are left, and in how many seconds all are back: `"key";r=1199;t=1`.'),
    "Allow": _header("The methods that are allowed here."),
}

PARAMETERS: dict[str, Json] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": "Your own key for this intent, bare or quoted. Kept for ever: a repeat is a replay.",
        "schema": {"type": "string", "minLength": 8, "maxLength": 257},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "required": True,
        "description": "The strong ETag that was read, so that no change of another person is lost.",
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    },
    "Prefer": {
        "name": "Prefer",
        "in": "header",
        "description": "`wait=N`: answer when the request is final, at the latest after N (at most 25) seconds."
        " Giving up waiting changes nothing about the refund.",
        "schema": _TEXT,
    },
    "Traceparent": {
        "name": "traceparent",
        "in": "header",
        "description": "W3C Trace Context; anything malformed is ignored.",
        "schema": _TEXT,
    },
}


def _filter(description: str, items: Json = _TEXT) -> Json:
    return {
        "description": f"{description} May repeat.",
        "schema": {"type": "array", "items": items, "maxItems": 20},
        "explode": True,
    }


QUERY_SCHEMAS: dict[str, Json] = {
    "state": _filter("Only in this state.", {"type": "string", "examples": [state.value for state in State]}),
    "payment": _filter("Only of this payment."),
    "case": _filter("Only of this case."),
    "customer": _filter("Only of this customer."),
    "requested_by": _filter("Only by this credential."),
    "value": {"description": "Only of this scope value; of all together when left out.", "schema": _TEXT},
    "limit": {"description": "Page size.", "schema": {"type": "integer", "minimum": 1, "maximum": 100}},
    "after": {"description": "The `next_cursor` of the page before, same filters.", "schema": _TEXT},
    "archived": {
        "description": "`true`: the archived ones too.",
        "schema": {"enum": ["true", "false"]},
    },
    "expand": {"description": "More than the resource itself.", "schema": {"enum": ["timeline"]}},
    "currency": {"description": "A lower-case currency code.", "required": True, "schema": _TEXT},
    "object": _filter("Only about this object."),
    "actor": _filter(
        "Only by this credential, by this person with any key or signed in, by `governor` itself, or by the `host`'s operator."
    ),
    "action": _filter("Only this action.", {"type": "string", "examples": ["hold.decided"]}),
    "from": {
        "description": "A date or an RFC 3339 time, inclusive; of the audit trail also a row's number. Left out, a"
        " report begins 30 days before `to`, the audit trail at its first row.",
        "schema": _TEXT,
    },
    "to": {
        "description": "A date or an RFC 3339 time, exclusive; of the audit trail also a row's number, inclusive. Left"
        " out, it is now.",
        "schema": _TEXT,
    },
    "type": _filter("Only messages of this type.", {"type": "string", "examples": ["refund_request.held"]}),
    "format": {
        "description": "`csv` for the lines alone; the audit trail is `ndjson` when nothing is said.",
        "schema": {"enum": ["json", "csv", "ndjson"]},
    },
}

_FIELD_ERROR: Json = {
    "type": "object",
    "required": ["pointer", "code", "detail"],
    "properties": {"pointer": _TEXT, "code": _TEXT, "detail": _TEXT},
}

PROBLEM_SCHEMA: Json = {
    "type": "object",
    "description": "RFC 9457. `code` is the contract, `title` is fixed per code, `detail` is for people.",
    "required": [
        "type",
        "title",
        "status",
        "detail",
        "instance",
        "code",
        "request_id",
        "retryable",
        "next_action",
    ],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "instance": _TEXT,
        "code": _TEXT,
        "request_id": _TEXT,
        "retryable": {
            "type": "boolean",
            "description": "Whether the same request may be sent again, same key.",
        },
        "next_action": _TEXT,
        "next_action_at": {"type": ["string", "null"], "format": "date-time"},
        "retry_after_seconds": {"type": ["integer", "null"]},
        "errors": {"type": "array", "items": _FIELD_ERROR},
        "money_moved": _TEXT,
        "limits": {"type": "array", "items": {"$ref": "#/components/schemas/LimitLineOut"}},
        "refund_request": {"$ref": "#/components/schemas/RefundRequestOut"},
    },
}
