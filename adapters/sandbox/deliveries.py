"""Webhook deliveries: signed, in the background, bounded retries. Nothing here ever delays an API call."""

import hashlib
import hmac
import http.client
import threading
from collections import deque
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from adapters.sandbox.clock import wall_seconds
from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import json_bytes
from adapters.sandbox.world import World

MODES = ("normal", "withhold", "duplicate", "reorder", "release")
"""``withhold`` keeps deliveries back; ``release`` sends them and is normal again; ``duplicate`` sends each one
twice; ``reorder`` sends what waits with the newest first, what was withheld included.
"""

RETRY_SECONDS = (1, 30, 600)
"""After a failed attempt, by the twin's clock: Stripe's sandboxes try three times more (STRIPE.md §5)."""

_TIMEOUT_SECONDS = 5.0
_LOOK_SECONDS = 0.25
_ATTEMPTS_KEPT = 1_000


@dataclass(frozen=True)
class _Delivery:
    """An event on its way to an endpoint; due by the twin's clock."""

    account: str
    endpoint: str
    event: str
    attempts: int = 0
    due: int = 0


def signature(secret: str, body: bytes, at: int) -> str:
    """``Stripe-Signature`` for a body: HMAC-SHA256 over ``timestamp.body``."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


class Courier:
    """One thread that takes events to the endpoints that asked for them."""

    def __init__(self, world: World, stopping: threading.Event) -> None:
        self._world = world
        self._stopping = stopping
        self._mode = "normal"
        self._waiting: list[_Delivery] = []
        self._attempts: deque[Document] = deque(maxlen=_ATTEMPTS_KEPT)
        self._wakeful = threading.Event()

    def run(self) -> None:
        """Delivers until the twin stops."""
        while not self._stopping.is_set():
            for delivery in self._take_due():
                if not self._stopping.is_set():
                    self._deliver(delivery)
            self._wakeful.wait(_LOOK_SECONDS)
            self._wakeful.clear()

    def wake(self) -> None:
        """There may be something to deliver."""
        self._wakeful.set()

    def behave(self, mode: str) -> Document:
        """Changes how deliveries behave. Call it inside ``world.change``."""
        self._collect()
        self._mode = "normal" if mode == "release" else mode
        if mode == "reorder":
            self._waiting.reverse()
        self.wake()
        return self.shown()

    def shown(self) -> Document:
        """The mode, how many deliveries wait, and the last attempts. Call it inside ``world.change``."""
        self._collect()
        waiting = [{"event": row.event, "endpoint": row.endpoint} for row in self._waiting]
        return {"mode": self._mode, "waiting": waiting, "attempts": list(self._attempts)}

    def forget(self) -> None:
        """Drops everything that waits. Call it inside ``world.change``."""
        self._mode = "normal"
        self._waiting.clear()
        self._attempts.clear()

    def _collect(self) -> None:
        """Fetches what the world has announced since the last look."""
        fresh = [_Delivery(*found) for found in self._world.due_deliveries]
        self._world.due_deliveries.clear()
        if self._mode == "reorder":
            fresh.reverse()
        self._waiting += fresh

    def _take_due(self) -> list[_Delivery]:
        with self._world.change():
            self._collect()
            if self._mode == "withhold":
                return []
            now = self._world.clock.now()
            due = [row for row in self._waiting if row.due <= now]
            self._waiting = [row for row in self._waiting if row.due > now]
            return [row for row in due for _ in range(2 if self._mode == "duplicate" else 1)]

    def _deliver(self, delivery: _Delivery) -> None:
        with self._world.change():
            account = self._world.account(delivery.account)
            endpoint = account.webhook_endpoints.get(delivery.endpoint)
            event = account.events.get(delivery.event)
        if endpoint is None or event is None:
            return
        outcome = _post(endpoint["url"], endpoint["secret"], json_bytes(event))
        with self._world.change():
            self._note(delivery, event, outcome)

    def _note(self, delivery: _Delivery, event: Document, outcome: int | str) -> None:
        """Counts a success down; asks for another attempt after a failure, a few times."""
        events = self._world.account(delivery.account).events
        current = events.get(delivery.event)
        if current is None:
            return  # the world was emptied meanwhile
        self._attempts.append(
            {
                "event": event["id"],
                "type": event["type"],
                "endpoint": delivery.endpoint,
                "attempt": delivery.attempts + 1,
                "outcome": outcome,
            }
        )
        if isinstance(outcome, int) and 200 <= outcome < 300:
            events.change(delivery.event, {"pending_webhooks": max(0, current["pending_webhooks"] - 1)})
        elif delivery.attempts < len(RETRY_SECONDS):
            due = self._world.clock.now() + RETRY_SECONDS[delivery.attempts]
            self._waiting.append(replace(delivery, attempts=delivery.attempts + 1, due=due))


def _post(url: str, secret: str, body: bytes) -> int | str:
    """One attempt, with its own timestamp and signature; the status, or the name of what went wrong."""
    target = urlsplit(url)
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "governor-sandbox/1.0",
        "Stripe-Sandbox": "governor",
        "Stripe-Signature": signature(secret, body, wall_seconds()),
    }
    connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("POST", target.path + (f"?{target.query}" if target.query else ""), body, headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as failure:
        return type(failure).__name__
    finally:
        connection.close()
