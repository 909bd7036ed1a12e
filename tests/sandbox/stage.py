"""A stage: one payment in the twin, brought into a recorded situation and asked the recorded question."""

from collections.abc import Callable
from typing import Any, TypeAlias

import requests

from tests.sandbox import schema
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin

REFUNDS = "/v1/refunds"
_KEY = {"Authorization": "Bearer sk_test_anything"}
_HOLD = {"currency": "usd", "payment_method": "pm_card_visa", "confirm": "true", "capture_method": "manual"}


class Stage:
    """The twin's ids stand for the recorded ones; an id without a stand-in was unknown there too."""

    def __init__(self, twin: Twin, recording: dict[str, Any]) -> None:
        self.twin = twin
        self.recording = recording
        self.payment = self.charge = self.refund = self.dispute = ""

    def call(
        self, method: str, path: str, form: dict[str, str], headers: dict[str, str] | None = None
    ) -> requests.Response:
        """One call; its answer is judged by Stripe's schema."""
        query, body = (form, None) if method == "GET" else (None, form)
        response = requests.request(
            method, self.twin.url + path, params=query, data=body, headers={**_KEY, **(headers or {})}, timeout=PATIENCE_SECONDS
        )  # fmt: skip
        schema.check(response.json())
        return response

    def pay(self, amount: int, currency: str = "usd", card: str = "pm_card_visa") -> None:
        self.payment = self.twin.payment(amount, currency, card=card)
        self.charge = self.call("GET", f"/v1/payment_intents/{self.payment}", {}).json()["latest_charge"]

    def hold(self, amount: int, currency: str = "usd") -> None:
        """An authorised payment that nobody captured."""
        form = {**_HOLD, "amount": str(amount), "currency": currency}
        intent = self.call("POST", "/v1/payment_intents", form).json()
        self.payment, self.charge = intent["id"], intent["latest_charge"]

    def give_back(self, amount: int, **form: str) -> None:
        sent = {"charge": self.charge, "amount": str(amount), **form}
        self.refund = self.call("POST", REFUNDS, sent, {"Idempotency-Key": f"{self.charge}-{amount}"}).json()[
            "id"
        ]

    def argue(self, status: str) -> None:
        self.dispute = self.twin.dispute(self.payment, status)["id"]

    def key(self) -> str:
        """The recorded idempotency key, from the request or from its echo."""
        exchange = (self.recording["request"], self.recording["response"])
        return next(
            (part["headers"]["Idempotency-Key"] for part in exchange if "Idempotency-Key" in part["headers"]),
            "",
        )

    def replay(self, path: str, form: dict[str, str], headers: dict[str, str]) -> requests.Response:
        """Sends the recorded request, with ``form`` added; on another ``path`` only ``form`` means anything."""
        request = self.recording["request"]
        recorded = request["form"] if request["method"] == "POST" else request.get("query", {})
        kept = {} if path else recorded
        sent = {name.replace("[0]", "[]"): self._ours(value) for name, value in kept.items()}
        sent |= {name: value.format(stage=self) for name, value in form.items()}
        key = {"Idempotency-Key": self.key()} if self.key() else {}
        return self.call(request["method"], path or self._ours(request["path"]), sent, {**key, **headers})

    def _ours(self, text: str) -> str:
        stand_ins = {
            "ch": self.charge,
            "pi": self.payment,
            "re": self.refund,
            "dp": self.dispute,
            "du": self.dispute,
        }
        parts = text.replace("+", " ").split("/")
        return "/".join(stand_ins.get(part.partition("_")[0]) or part for part in parts)


Act: TypeAlias = Callable[[Stage], None]
"""Brings the stage into a situation."""


def nothing(_stage: Stage) -> None:
    """The question needs no situation."""


def paid(amount: int, *refunded: int, currency: str = "usd") -> Act:
    """A payment, partly or wholly refunded."""

    def act(stage: Stage) -> None:
        stage.pay(amount, currency)
        for part in refunded:
            stage.give_back(part)

    return act


def paid_with_reason(amount: int, refunded: int, reason: str, *more: int) -> Act:
    """A payment with one refund that has a reason, and more refunds without one."""

    def act(stage: Stage) -> None:
        stage.pay(amount)
        stage.give_back(refunded, reason=reason)
        for part in more:
            stage.give_back(part)

    return act


def held(amount: int) -> Act:
    """An authorised payment."""
    return lambda stage: stage.hold(amount)


def let_go(amount: int, currency: str) -> Act:
    """An authorised payment that was canceled: Stripe makes a refund of it."""

    def act(stage: Stage) -> None:
        stage.hold(amount, currency)
        stage.call("POST", f"/v1/payment_intents/{stage.payment}/cancel", {})
        listed = stage.call("GET", REFUNDS, {"payment_intent": stage.payment}).json()
        stage.refund = listed["data"][0]["id"]

    return act


def disputed(amount: int, *statuses: str, refunded: int = 0) -> Act:
    """A payment, refunded just before its dispute or not at all."""

    def act(stage: Stage) -> None:
        stage.pay(amount)
        if refunded:
            stage.give_back(refunded)
        for status in statuses:
            stage.argue(status)

    return act


def faulty(kind: str) -> Act:
    """A payment with a dispute, and a fault for the next call."""

    def act(stage: Stage) -> None:
        disputed(5000, "needs_response")(stage)
        stage.twin.fault(kind)

    return act


def failed(amount: int, currency: str, **form: str) -> Act:
    """A refund that succeeded, and failed later."""

    def act(stage: Stage) -> None:
        stage.pay(amount, currency, card="pm_card_refundFail")
        stage.give_back(amount, **form)
        stage.twin.advance(60)

    return act


def referenced(amount: int, reason: str) -> Act:
    """A refund whose reference number has arrived."""

    def act(stage: Stage) -> None:
        paid_with_reason(amount, amount, reason)(stage)
        stage.twin.advance(60)

    return act


def asked_before(key: str = "") -> Act:
    """A refund of 100 made under the recorded key, or under ``key``."""

    def act(stage: Stage) -> None:
        stage.pay(5000)
        form = {"payment_intent": stage.payment, "amount": "100"}
        stage.call("POST", REFUNDS, form, {"Idempotency-Key": key or stage.key()})

    return act
