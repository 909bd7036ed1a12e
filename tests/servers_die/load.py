"""Agents that ask for refunds over HTTP without a pause; a key that got no answer is asked again, as agents should."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.builders import World
from tests.journeys.test_dying_web import GONE, PATH
from tests.stack import PATIENCE_SECONDS, Stack, eventually

CLIENTS = 6
AMOUNT = 100
PAUSE_SECONDS = 0.05
"""Between a refusal and the next try."""


@dataclass
class Load:
    """What the clients have been told so far."""

    stack: Stack
    stop: threading.Event = field(default_factory=threading.Event)
    acknowledged: list[str] = field(default_factory=list)
    """The requests that were answered 202; appending is one step, so that no lock is needed."""
    refusals: list[int] = field(default_factory=list)
    """One for each time that a client got no decision: 503, 409 for a key in flight, or 0 for no answer at all."""
    unexpected: list[Any] = field(default_factory=list)

    def until_acknowledged(self, more: int) -> None:
        """Back when so many more decisions were acknowledged."""
        wanted = len(self.acknowledged) + more
        eventually(lambda: len(self.acknowledged) >= wanted, lambda: self.stack.said("web")[-3000:])

    def client(self, name: str, key: str, payments: list[str]) -> None:
        """One agent, payment after payment, for as long as nobody says stop."""
        for number in range(10**6):
            sent = {
                "payment": payments[number % len(payments)],
                "amount": AMOUNT + number // len(payments),
                "currency": "usd",
            }
            while not self.stop.is_set() and not self._asked(key, f"{name}-{number:06d}", sent):
                self.stop.wait(PAUSE_SECONDS)
            if self.stop.is_set():
                return

    def _asked(self, key: str, name: str, sent: dict[str, Any]) -> bool:
        """Ask once; whether there was a decision."""
        try:
            status, _, body = self.stack.call("POST", PATH, key, sent, **{"Idempotency-Key": name})
        except GONE:
            status, body = 0, None
        if status == 202:
            self.acknowledged.append(body["id"])
            return True
        self.refusals.append(status)
        # A call whose session was ended could not say that its key is free again: that ends by itself.
        running = status == 409 and body["code"] == "idempotency_in_flight"
        if status not in {0, 503} and not running:
            self.unexpected.append(body)
        return False


@contextmanager
def under_load(world: World, stack: Stack) -> Iterator[Load]:
    """Clients at work; at the end they are stopped, and nobody was told anything but 202, to come again, or nothing at all."""
    load = Load(stack)
    threads = [
        threading.Thread(
            target=load.client,
            args=(
                f"load-{number}",
                world.key(name=f"agent-{number}"),
                [world.payment(10**6) for _ in range(20)],
            ),
        )
        for number in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        load.stop.set()
        for thread in threads:
            thread.join(timeout=PATIENCE_SECONDS)
            assert not thread.is_alive(), "a client was left without an answer"
    assert load.unexpected == [], load.unexpected
