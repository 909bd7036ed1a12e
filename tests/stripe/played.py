"""vcrpy around our own sockets, and a persister that turns a third party's recording into a cassette.

The recordings (GOVERNOR_RECORDINGS) are exchanges of other people's programs with Stripe. Each is played
as the answer to *our* call: a `Turn` says which of our calls it answers and what has to stand around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import vcr
from vcr.request import Request
from vcr.stubs.urllib3_stubs import VCRRequestsHTTPConnection, VCRRequestsHTTPSConnection

from adapters.stripe.wire import DeadlineConnection, DeadlineTLSConnection, PlainPool, TLSPool
from governor.ports.provider import REQUEST_ID_METADATA, RefundOrder
from tests.sandbox.recorded import recording
from tests.stripe.bodies import charge, intent, order, page

Json = dict[str, Any]


class PlayedConnection(VCRRequestsHTTPConnection):  # type: ignore[misc]  # vcrpy has no types
    """What vcrpy puts in the place of our connection; it uses ours for what it records."""

    _baseclass = DeadlineConnection


class PlayedTLSConnection(VCRRequestsHTTPSConnection):  # type: ignore[misc]  # vcrpy has no types
    """The same over TLS."""

    _baseclass = DeadlineTLSConnection


PATCHES = (
    (PlainPool, "ConnectionCls", PlayedConnection),
    (TLSPool, "ConnectionCls", PlayedTLSConnection),
)


@dataclass(frozen=True)
class Exchange:
    """One call of ours and what is answered."""

    method: str
    path: str
    body: object
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Turn = Callable[[Json], list[Exchange]]


@dataclass(frozen=True)
class RecordingPersister:
    """Reads recordings as cassettes; what it reads is never written."""

    turn: Turn

    def load_cassette(self, cassette_path: str, serializer: object) -> tuple[list[Request], list[Json]]:  # noqa: ARG002 - vcrpy's signature
        """The recording of this name, as vcrpy wants it."""
        exchanges = self.turn(recording(cassette_path))
        requests = [Request(e.method, f"https://api.stripe.com{e.path}", b"", {}) for e in exchanges]
        return requests, [_response(exchange) for exchange in exchanges]

    def save_cassette(self, cassette_path: str, cassette_dict: object, serializer: object) -> None:
        """Third parties' recordings are data to read."""
        raise AssertionError(f"{cassette_path} must not be written: {cassette_dict} {serializer}")


def play(name: str, turn: Turn) -> Any:
    """A context in which our calls are answered from the recording, and none reaches a network."""
    player = vcr.VCR(record_mode="none", match_on=["method", "path"], custom_patches=PATCHES)
    player.register_persister(RecordingPersister(turn))
    return player.use_cassette(name)


def _response(exchange: Exchange) -> Json:
    return {
        "status": {"code": exchange.status, "message": "Recorded"},
        "headers": {name: [value] for name, value in exchange.headers},
        "body": {"string": json.dumps(exchange.body).encode()},
    }


# Turns ----------------------------------------------------------------------------------------------


def as_reply(recorded: Json) -> list[Exchange]:
    """The recorded answer, whatever it answered, as the answer to our refund call."""
    answer = recorded["response"]
    # What happened before 2015-09-18 was a 400, and the recorder lost it (INDEX.md, group 5).
    status = answer["status"] or 400
    return [Exchange("POST", "/v1/refunds", answer["body"], status, tuple(answer["headers"].items()))]


def as_reply_to_us(recorded: Json) -> list[Exchange]:
    """The same, with what only the recorder left out given back: our id, the payment, the Request-Id.

    Only recordings of grade A kept all headers; in the others "absence means nothing" (INDEX.md).
    """
    (exchange,) = as_reply(recorded)
    headers = dict(exchange.headers)
    if not recorded["source"]["provenance"].startswith("A:"):
        headers.setdefault("Request-Id", "req_LostByTheRecorder")
    body: Any = exchange.body
    if body.get("object") == "refund":
        ours = {REQUEST_ID_METADATA: "rr_1"}
        body = {**body, "payment_intent": body.get("payment_intent") or "pi_recorded", "metadata": ours}
    return [Exchange("POST", "/v1/refunds", body, exchange.status, tuple(headers.items()))]


def order_of(recorded: Json) -> RefundOrder:
    """The order that the recorded refund would fulfil; any order, where no refund came of it."""
    body = recorded["response"]["body"]
    if body.get("object") != "refund":
        return order()
    payment = body.get("payment_intent") or "pi_recorded"
    return order(payment=payment, amount_minor=body["amount"], currency=body["currency"], reason=None)


def as_payment(recorded: Json) -> list[Exchange]:
    """A charge, a dispute, a list of disputes or an error, met while reading the payment `pi_1`."""
    shown = _shown(recorded)
    if "error" in shown:
        failed = recorded["response"]
        headers = tuple(failed["headers"].items())
        return [*_ACCOUNT, Exchange("GET", "/v1/payment_intents/pi_1", shown, failed["status"], headers)]
    if shown["object"] == "charge":
        embedded = (shown.get("refunds") or {}).get("data", [])
        refunds = [{**refund, "payment_intent": "pi_1"} for refund in embedded]
        return [*_ACCOUNT, _intent(shown), Exchange("GET", "/v1/refunds", page(*refunds))]
    disputes = shown if shown["object"] == "list" else page(shown)
    around = charge(id=disputes["data"][0]["charge"], disputed=True)
    return [
        *_ACCOUNT,
        _intent(around),
        Exchange("GET", "/v1/disputes", disputes),
        Exchange("GET", "/v1/refunds", page()),
    ]


def as_list(recorded: Json) -> list[Exchange]:
    """A refund, or a list of them, as the list of the payment's refunds."""
    shown = _shown(recorded)
    if shown["object"] == "list":
        return [Exchange("GET", "/v1/refunds", shown)]
    return [Exchange("GET", "/v1/refunds", page(shown))]


_ACCOUNT = [
    Exchange("GET", "/v1/account", {"id": "acct_1", "object": "account"}),
    Exchange("GET", "/v1/balance", {"object": "balance", "livemode": False}),
]


def _shown(recorded: Json) -> Json:
    found: Json = recorded["event"]["data"]["object"] if "event" in recorded else recorded["response"]["body"]
    return found


def _intent(of_charge: Json) -> Exchange:
    body = intent(currency=of_charge["currency"], customer=None, latest_charge=of_charge)
    return Exchange("GET", "/v1/payment_intents/pi_1", body)
