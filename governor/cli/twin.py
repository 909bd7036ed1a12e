"""The provider twin's control side, as far as demonstrations and storms need it (SANDBOX.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Self
from urllib.parse import urlencode

from governor.cli.wire import Wire
from governor.domain.errors import Unavailable

_MARK: Final = "governor"
"""The metadata that tells our own orders of events from any other."""


class TwinControl(Wire):
    """Makes payments in the twin and reads what it has really written."""

    def __enter__(self) -> Self:
        return self

    def payment(self, amount_minor: int, currency: str, **fields: Any) -> str:  # noqa: ANN401  customer, card, metadata, account, age_seconds
        """A captured payment; returns its payment intent id."""
        made = self._order(
            "POST", "/_sandbox/payments", {"amount": amount_minor, "currency": currency, **fields}
        )
        return str(made["id"])

    def bring_events(self, key: str, url: str, mark: str, types: Iterable[str]) -> str:
        """Have events of an account brought to an address of ours; returns the secret that signs them.

        `mark` tells the order from others; `forget_events` takes back all that are marked.

        Raises:
            Unavailable: `sandbox_refused`, such as the 17th order of an account.
        """
        wanted = {"url": url, f"metadata[{_MARK}]": mark}
        wanted |= {f"enabled_events[{number}]": kind for number, kind in enumerate(sorted(types))}
        answered = self.call("POST", "/v1/webhook_endpoints", form=wanted, headers=_bearer(key))
        return str(self._checked(answered.status, answered.body)["secret"])

    def forget_events(self, key: str) -> None:
        """No event is brought to us any more."""
        answered = self.call("GET", "/v1/webhook_endpoints?limit=100", headers=_bearer(key))
        for endpoint in self._checked(answered.status, answered.body)["data"]:
            if _MARK in endpoint["metadata"]:
                self.call("DELETE", f"/v1/webhook_endpoints/{endpoint['id']}", headers=_bearer(key))

    def payments(self, key: str) -> list[dict[str, Any]]:
        """The newest hundred payment intents of the account that a test key opens."""
        answered = self.call("GET", "/v1/payment_intents?limit=100", headers=_bearer(key))
        return list(self._checked(answered.status, answered.body)["data"])

    def writes(self, payment: str | None = None) -> list[dict[str, Any]]:
        """Every refund that was really executed, of one payment or of all, oldest first."""
        query = f"?{urlencode({'payment': payment})}" if payment is not None else ""
        return list(self._order("GET", f"/_sandbox/writes{query}")["writes"])

    def order_fault(self, kind: str, *, times: int = 1, delay_ms: int = 0, **match: str) -> None:
        """The next calls that `match` (method, path) fail in that way."""
        delay = {"delay_ms": delay_ms} if delay_ms else {}
        self._order("POST", "/_sandbox/faults", {"kind": kind, "times": times, "match": match, **delay})

    def faults(self) -> list[dict[str, Any]]:
        """What was ordered, and how often each has fired."""
        return list(self._order("GET", "/_sandbox/faults")["faults"])

    def forget_faults(self) -> None:
        """Take back all orders."""
        self._order("DELETE", "/_sandbox/faults")

    def advance(self, seconds: int) -> None:
        """Move the twin's clock forward."""
        self._order("POST", "/_sandbox/clock", {"advance_seconds": seconds})

    def deliver(self, mode: str) -> None:
        """How webhooks are delivered from now on."""
        self._order("POST", "/_sandbox/webhooks", {"mode": mode})

    def refund_elsewhere(self, payment: str, amount_minor: int) -> None:
        """A refund that somebody makes in the Dashboard, past governor."""
        self._order("POST", "/_sandbox/refunds", {"payment": payment, "amount": amount_minor})

    def _order(self, method: str, path: str, sent: dict[str, Any] | None = None) -> dict[str, Any]:
        answered = self.call(method, path, sent)
        return self._checked(answered.status, answered.body)

    @staticmethod
    def _checked(status: int, body: Any) -> dict[str, Any]:  # noqa: ANN401  JSON values are any
        if status != 200 or not isinstance(body, dict):
            said = body.get("error", body) if isinstance(body, dict) else body
            words = said.get("message", said) if isinstance(said, dict) else said
            raise Unavailable("sandbox_refused", f"The sandbox answered {status}: {words}")
        return body


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
