"""The ``/_sandbox`` side: how tests and people order what Stripe will do. No authentication, loopback only.

Calls that do not name a payment work on ``"account"``, by default the one that ordinary test keys open.
"""

import json
import re
from collections.abc import Callable
from typing import TypeAlias

from adapters.sandbox import calls, disputes, fraud_warnings, idempotency, late_outcomes, payments, refunds
from adapters.sandbox.deliveries import MODES, Courier
from adapters.sandbox.errors import Refusal
from adapters.sandbox.faults import REFUSE_CONNECTION, BadOrder, FaultBook
from adapters.sandbox.parameters import metadata
from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import Reply, Request, json_answer
from adapters.sandbox.work import Work
from adapters.sandbox.world import DEFAULT_ACCOUNT, World

_Run: TypeAlias = Callable[[Document], Document]

_REFUSED_SECONDS = 1.0
_ACCOUNT = re.compile("acct_sandbox_[A-Za-z0-9]+")


class _Wrong(Exception):
    """What was sent means nothing here."""


class ControlSide:
    """Answers ``/_sandbox`` calls."""

    def __init__(
        self,
        world: World,
        faults: FaultBook,
        log: calls.CallLog,
        courier: Courier,
        refuse_connections: Callable[[float], None],
    ) -> None:
        self._world = world
        self._faults = faults
        self._log = log
        self._courier = courier
        self._refuse_connections = refuse_connections
        self._routes: dict[tuple[str, str], _Run] = {
            ("GET", "/_sandbox/health"): lambda _sent: {"status": "ok"},
            ("POST", "/_sandbox/payments"): self._pay,
            ("POST", "/_sandbox/refunds"): self._refund,
            ("POST", "/_sandbox/faults"): self._order_fault,
            ("GET", "/_sandbox/faults"): lambda _sent: {"faults": faults.shown()},
            ("DELETE", "/_sandbox/faults"): self._forget_faults,
            ("GET", "/_sandbox/writes"): self._writes,
            ("GET", "/_sandbox/calls"): lambda _sent: {"calls": log.shown()},
            ("POST", "/_sandbox/clock"): self._advance,
            ("POST", "/_sandbox/disputes"): self._dispute,
            ("POST", "/_sandbox/fraud_warnings"): self._warn,
            ("GET", "/_sandbox/webhooks"): lambda _sent: courier.shown(),
            ("POST", "/_sandbox/webhooks"): self._order_deliveries,
            ("POST", "/_sandbox/reset"): self._reset,
        }

    def reply(self, request: Request) -> Reply:
        """One call; JSON in, JSON out, ``{"error": text}`` with 400 or 404."""
        run = self._routes.get((request.method, request.path))
        if run is None:
            return Reply(json_answer(404, {"error": f"there is no {request.method} {request.path}"}))
        try:
            with self._world.change():
                return Reply(json_answer(200, run(_sent_by(request))))
        except (BadOrder, ValueError, Refusal, _Wrong) as wrong:
            return Reply(json_answer(400, {"error": str(wrong)}))

    def _pay(self, sent: Document) -> Document:
        """A captured payment, without any call of the API; made ``age_seconds`` ago, by default just now."""
        _only(sent, "amount", "currency", "customer", "card", "metadata", "account", "age_seconds")
        wanted: Document = {
            "amount": _whole(sent, "amount", at_least=1),
            "currency": _text(sent, "currency", "usd"),
            "payment_method": _text(sent, "card", "pm_card_visa"),
            "metadata": metadata("metadata", sent.get("metadata", {})),
            "confirm": True,
        }
        if sent.get("customer") is not None:
            wanted["customer"] = _text(sent, "customer")
        account = _text(sent, "account", DEFAULT_ACCOUNT)
        if not _ACCOUNT.fullmatch(account):
            raise _Wrong("account is acct_sandbox_ and letters or digits")
        age = _whole(sent, "age_seconds") if "age_seconds" in sent else 0
        return payments.create(Work(self._world, self._world.account(account), age_seconds=age), wanted)

    def _refund(self, sent: Document) -> Document:
        """A refund made in the Dashboard: no key, no metadata, its own webhooks."""
        _only(sent, "payment", "amount")
        wanted: Document = {"payment_intent": _text(sent, "payment")}
        if sent.get("amount") is not None:
            wanted["amount"] = _whole(sent, "amount", at_least=1)
        return refunds.create(self._work_on(wanted["payment_intent"]), wanted, source="dashboard")

    def _dispute(self, sent: Document) -> Document:
        """Opens or closes the dispute over a payment."""
        _only(sent, "payment", "status")
        status = _text(sent, "status", "needs_response")
        if status not in disputes.STATUSES:
            raise _Wrong(f"status must be one of {', '.join(disputes.STATUSES)}")
        return disputes.move(*self._charge_of(sent), status)

    def _warn(self, sent: Document) -> Document:
        """The bank warns that a payment may be fraud."""
        _only(sent, "payment")
        return fraud_warnings.give(*self._charge_of(sent))

    def _charge_of(self, sent: Document) -> tuple[Work, str]:
        """Where the payment is that was sent, and its charge."""
        payment = _text(sent, "payment")
        work = self._work_on(payment)
        charge_id = work.account.payment_intents[payment]["latest_charge"]
        if charge_id is None:
            raise _Wrong(f"{payment} has no charge")
        return work, str(charge_id)

    def _order_fault(self, sent: Document) -> Document:
        fault = self._faults.order(sent)
        if fault.kind == REFUSE_CONNECTION:
            fault.fired = 1
            self._refuse_connections(fault.delay_seconds or _REFUSED_SECONDS)
        return fault.shown()

    def _forget_faults(self, _sent: Document) -> Document:
        self._faults.forget()
        self._refuse_connections(0.0)
        return {"faults": []}

    def _writes(self, sent: Document) -> Document:
        _only(sent, "payment")
        payment = sent.get("payment")
        rows = [row for account in self._world.accounts.values() for row in calls.writes(account, payment)]
        return {"writes": sorted(rows, key=lambda row: int(row["created"]))}

    def _advance(self, sent: Document) -> Document:
        _only(sent, "advance_seconds")
        self._world.advance(_whole(sent, "advance_seconds"))
        idempotency.prune(self._world)
        late_outcomes.fire_due(self._world)
        self._courier.wake()
        return {"now": self._world.clock.now()}

    def _order_deliveries(self, sent: Document) -> Document:
        _only(sent, "mode")
        if sent.get("mode") not in MODES:
            raise _Wrong(f"mode must be one of {', '.join(MODES)}")
        return self._courier.behave(sent["mode"])

    def _reset(self, _sent: Document) -> Document:
        self._forget_faults({})
        self._world.reset()
        self._log.forget()
        self._courier.forget()
        return {"status": "empty"}

    def _work_on(self, payment: str) -> Work:
        account = self._world.find_payment(payment)
        if account is None:
            raise _Wrong(f"there is no payment {payment}")
        return Work(self._world, account)


def _sent_by(request: Request) -> Document:
    if request.method != "POST":
        return dict(request.query)
    sent = json.loads(request.body) if request.body else {}
    if not isinstance(sent, dict):
        raise _Wrong("send a JSON object")
    return sent


def _only(sent: Document, *names: str) -> None:
    unknown = sorted(set(sent) - set(names))
    if unknown:
        raise _Wrong(f"unknown: {', '.join(unknown)}; there is {', '.join(names)}")


def _whole(sent: Document, name: str, *, at_least: int = 0) -> int:
    value = sent.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        raise _Wrong(f"{name} must be a whole number, {at_least} or more")
    return value


def _text(sent: Document, name: str, default: str | None = None) -> str:
    value = sent.get(name, default)
    if not isinstance(value, str) or not value:
        raise _Wrong(f"{name} must be a string")
    return value
