"""What is taken out of a recording before it is written: keys, addresses, people, and whatever we do not read."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlsplit

from vcr.request import Request

ADDRESS: Final = "http://provider.invalid"
"""Stands for whichever address was called; it does not exist."""

KEPT_HEADERS: Final = frozenset(
    {
        "content-length",
        "content-type",
        "date",
        "idempotency-key",
        "idempotent-replayed",
        "location",
        "original-request",
        "request-id",
        "retry-after",
        "stripe-rate-limited-reason",
        "stripe-sandbox",
        "stripe-should-retry",
        "stripe-version",
    }
)
"""The headers that mean something to us. Cookies and the like are the account's own business."""

_WHOLE: Final = {"account": ("id", "object"), "balance": ("object", "livemode")}
"""Of these objects only the members are kept that the adapter reads: the rest describes somebody's company."""

_PRIVATE: Final = frozenset(
    {
        "address",
        "billing_details",
        "calculated_statement_descriptor",
        "client_secret",
        "customer_email_address",
        "description",
        "email",
        "fingerprint",
        "instructions_email",
        "last4",
        "name",
        "phone",
        "receipt_email",
        "receipt_url",
        "request_log_url",
        "shipping",
        "statement_descriptor",
        "statement_descriptor_suffix",
    }
)


def without_address(request: Request) -> Request:
    """The call as if it had gone to `ADDRESS`. (vcrpy takes the key out by itself.)"""
    request.uri = _moved(request.uri)
    return request


def without_secrets(response: dict[str, Any]) -> dict[str, Any]:
    """The answer without what is nobody's business; its length is corrected."""
    body = _filtered(response["body"]["string"])
    headers = {}
    for name, values in response["headers"].items():
        match name.lower():
            case "location":
                headers[name] = [_moved(target) for target in values]
            case "content-length" if body != response["body"]["string"]:
                headers[name] = [str(len(body))]
            case word if word in KEPT_HEADERS:
                headers[name] = values
    return {**response, "headers": headers, "body": {"string": body}}


def _filtered(body: bytes) -> bytes:
    try:
        before = json.loads(body)
    except ValueError:
        return body
    after = _clean(before)
    return body if after == before else json.dumps(after, separators=(",", ":")).encode()


def _clean(value: Any) -> Any:
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = _WHOLE.get(str(value.get("object")), tuple(value))
    return {name: _clean(item) for name, item in value.items() if name in kept and name not in _PRIVATE}


def _moved(address: str) -> str:
    parts = urlsplit(address)
    return f"{ADDRESS}{parts.path}" + (f"?{parts.query}" if parts.query else "")
