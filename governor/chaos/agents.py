"""Agents: programs that want refunds, and ask until they know what was decided."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from governor.chaos.calling import Api, code_of
from governor.chaos.clients import Client, Weather
from governor.chaos.told import Decision, Intent
from governor.cli.wire import Answered

REQUESTS: Final = "/api/v1/refund-requests"
GIVE_UP_SECONDS: Final = 120.0
"""How long an agent asks again under the same key before it leaves the outcome open."""

_AGAIN_STATUSES: Final = frozenset({429, 500, 502, 503, 504})
_AGAIN_CODES: Final = frozenset({"idempotency_in_flight"})


class Agent(Client):
    """Asks for refunds, sometimes again for what another has asked for, and sometimes changes its mind."""

    ends_with_the_storm = True

    def __init__(self, api: Api, weather: Weather, name: str, payments: Sequence[tuple[str, str]]) -> None:
        super().__init__(api, weather)
        self._prefix, self._payments, self._number = name, payments, 0

    def step(self) -> None:
        """One intent, seen through to its decision."""
        recent = self.told.wanted_lately()
        if recent and self.chance.random() < 0.15:
            self._see_through(self.chance.choice(recent))
            return
        intent = self._new_intent()
        self.told.wanted(intent)
        self._see_through(intent)

    def _new_intent(self) -> Intent:
        self._number += 1
        payment, currency = self.chance.choice(self._payments)
        sent: dict[str, Any] = {
            "payment": payment,
            "amount": self.chance.randint(1, 900),
            "currency": currency,
        }
        if self.chance.random() < 0.3:
            sent["case"] = f"ZD-{self.chance.randint(1, 20)}"
        return Intent(f"{self._prefix}-{self._number:06d}", sent)

    def _see_through(self, intent: Intent) -> None:
        """Ask under one key until it is decided, or provably not to be."""
        give_up, unheard = time.monotonic() + GIVE_UP_SECONDS, False
        while time.monotonic() < give_up and not self.weather.over.is_set():
            wait = self.chance.choice((0,) * 10 + (1, 2))
            patience = self.chance.choice((0.05, 1.0, *(20.0,) * 6))
            answered = self.api.ask(
                "POST",
                REQUESTS,
                intent.sent,
                key=intent.key,
                wait_seconds=wait,
                patience_seconds=patience,
            )
            if answered is not None and not _to_be_asked_again(answered):
                self._note(intent, answered, unheard=unheard)
                return
            unheard = True
            if answered is None and patience < wait:
                self.told.mark("client_left_while_waiting")
            self.weather.moment(self.chance.uniform(0.05, 0.5))
        self.told.mark("agent_gave_up")

    def _note(self, intent: Intent, answered: Answered, *, unheard: bool) -> None:
        body = answered.body
        request = body.get("refund_request") if answered.status == 403 else body
        if answered.status not in {200, 202, 403} or not isinstance(request, dict):
            return
        decision = Decision(
            intent.key,
            request["id"],
            request["payment"],
            request["amount"],
            request["currency"],
            request["denial"],
        )
        self.told.decisions.append(decision)
        if "Idempotent-Replayed" in answered.headers:
            self.told.mark("decided_though_nobody_heard" if unheard else "same_key_again")
        if self.chance.random() < 0.04:
            self._ask_for_something_else(intent)
        if decision.denial is None and self.chance.random() < 0.08:
            self._cancel(decision)

    def _ask_for_something_else(self, intent: Intent) -> None:
        """The same key with another amount: what is decided stays, and this is refused."""
        other = {**intent.sent, "amount": int(intent.sent["amount"]) + 1}
        answered = self.api.ask("POST", REQUESTS, other, key=intent.key)
        if answered is None or answered.status in _AGAIN_STATUSES:
            return
        if (answered.status, code_of(answered)) != (422, "idempotency_key_reused"):
            self.told.broken.append(f"{intent.key} with another amount: {answered.status} {answered.body}")

    def _cancel(self, decision: Decision) -> None:
        path = f"{REQUESTS}/{decision.id}/cancel"
        answered = self.api.ask("POST", path, {}, key=f"cancel-{decision.key}")
        if answered is not None and answered.status in {200, 202}:
            self.told.cancellations.append(decision.id)


def _to_be_asked_again(answered: Answered) -> bool:
    return answered.status in _AGAIN_STATUSES or code_of(answered) in _AGAIN_CODES
