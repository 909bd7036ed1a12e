"""Webhook bodies as Stripe sends them, and their signatures, made by hand and not by what is under test."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

import stripe

from tests.stripe.bodies import NOW, refund
from tests.twin import Twin

SECRET = "whsec_one"


def event(**changes: Any) -> dict[str, Any]:
    """A refund was created by a call of ours."""
    return {
        "id": "evt_1",
        "object": "event",
        "api_version": "2026-10-28.endive",
        "created": int(NOW.timestamp()),
        "data": {"object": refund()},
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": "req_Abc123", "idempotency_key": "governor-rr_1"},
        "type": "refund.created",
        **changes,
    }


def body_of(told: object) -> bytes:
    """The bytes that are signed and sent."""
    return json.dumps(told, indent=2).encode()


def digest(body: bytes, at: datetime | int | str = NOW, secret: str = SECRET) -> str:
    """One `v1` signature."""
    return hmac.new(secret.encode(), f"{seconds(at)}.".encode() + body, hashlib.sha256).hexdigest()


def signed(body: bytes, at: datetime | int | str = NOW, *secrets: str) -> str:
    """The header `Stripe-Signature`."""
    signatures = [f"v1={digest(body, at, secret)}" for secret in secrets or (SECRET,)]
    return ",".join([f"t={seconds(at)}", *signatures])


def seconds(at: datetime | int | str) -> int | str:
    """As the header has it."""
    return int(at.timestamp()) if isinstance(at, datetime) else at


def endpoint_at(twin: Twin, key: str, url: str) -> str:
    """Ask the twin to bring every event to an address; the secret with which it signs them."""
    client = stripe.StripeClient(key, base_addresses={"api": twin.url})
    made = client.v1.webhook_endpoints.create({"url": url, "enabled_events": ["*"]})
    assert made.secret is not None
    return made.secret
