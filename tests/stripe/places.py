"""Where a situation is arranged and a call is recorded: on the provider twin, or on somebody's Stripe test account."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from adapters.stripe.access import StripeAccess
from adapters.stripe.provider import StripeProvider
from adapters.stripe.wire import call_within
from governor.ports.provider import RefundOrder
from tests.stripe.bodies import NOW, order, provider_at
from tests.twin import Twin

VISA, DISPUTED = "pm_card_visa", "pm_card_createDispute"
TEST_KEY = re.compile(r"(?:sk|rk)_test_[A-Za-z0-9_]+")
CALL_SECONDS = 30.0
_LOOKS = 60


class CannotBeOrderedError(Exception):
    """A situation that only the twin can be told to produce."""


class Place(Protocol):
    """A provider account in which payments can be made."""

    def provider(self) -> StripeProvider:
        """Our own adapter, pointed there."""

    def order(self, payment: str) -> RefundOrder:
        """An order under a key that the place has not seen."""

    def payment(self, amount: int = 5000, *, card: str = VISA) -> str:
        """A captured payment in usd; returns its id."""

    def refund_elsewhere(self, payment: str, amount: int) -> None:
        """A refund that is not of our order."""

    def fault(self, kind: str) -> None:
        """The next refund call fails in that way. Raises CannotBeOrderedError where nobody can say so."""


class OnTwin:
    """The twin, emptied first."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        twin.reset()

    def provider(self) -> StripeProvider:
        return provider_at(self._twin.url)

    def order(self, payment: str) -> RefundOrder:
        return order(payment=payment)

    def payment(self, amount: int = 5000, *, card: str = VISA) -> str:
        return self._twin.payment(amount, card=card)

    def refund_elsewhere(self, payment: str, amount: int) -> None:
        self._twin.dashboard_refund(payment, amount)

    def fault(self, kind: str) -> None:
        self._twin.fault(kind, path="/v1/refunds", method="POST")


class OnStripe:
    """An account behind a test key. Keys are kept there for a day, so that every recording has an id of its own.

    Raises Forbidden for any key but a test key, and when the account turns out to be in live mode.
    """

    def __init__(self, key: str, base_url: str | None) -> None:
        self._access = StripeAccess(key, base_url)
        self._client = self._access.client()
        self.provider().read_account()

    def provider(self) -> StripeProvider:
        return StripeProvider(self._access, now=lambda: NOW)

    def order(self, payment: str) -> RefundOrder:
        ours = f"rr_{secrets.token_hex(8)}"
        return replace(order(payment=payment), request_id=ours, idempotency_key=f"governor-{ours}")

    def payment(self, amount: int = 5000, *, card: str = VISA) -> str:
        wanted: Any = {
            "amount": amount,
            "currency": "usd",
            "payment_method": card,
            "payment_method_types": ["card"],
            "confirm": True,
            "metadata": {"made_by": "governor, to record cassettes"},
        }
        made = self._asked(lambda: self._client.v1.payment_intents.create(wanted))
        payment = str(made["id"])
        if card == DISPUTED:
            self._wait_for_the_dispute(payment)
        return payment

    def refund_elsewhere(self, payment: str, amount: int) -> None:
        wanted: Any = {"payment_intent": payment, "amount": amount}
        self._asked(lambda: self._client.v1.refunds.create(wanted))

    def fault(self, kind: str) -> None:
        raise CannotBeOrderedError(kind)

    def _wait_for_the_dispute(self, payment: str) -> None:
        """It is opened a moment after the payment."""
        expanded: Any = {"expand": ["latest_charge"]}
        for _ in range(_LOOKS):
            shown = self._asked(lambda: self._client.v1.payment_intents.retrieve(payment, expanded))
            if shown["latest_charge"]["disputed"]:
                return
            threading.Event().wait(1.0)
        raise AssertionError(f"{payment} is not disputed")

    @staticmethod
    def _asked(call: Callable[[], Any]) -> dict[str, Any]:
        """What Stripe answers to a call that only arranges."""
        with call_within(CALL_SECONDS, connect_seconds=CALL_SECONDS):
            answered: dict[str, Any] = call().to_dict()
        return answered
