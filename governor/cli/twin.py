"""The provider twin's control side, as far as demonstrations need it (SANDBOX.md)."""

from __future__ import annotations

from typing import Any, Self
from urllib.parse import urlencode

from governor.cli.wire import Wire
from governor.domain.errors import Unavailable


class TwinControl(Wire):
    """Makes payments in the twin and reads what it has really written."""

    def __enter__(self) -> Self:
        return self

    def payment(self, amount_minor: int, currency: str, **fields: Any) -> str:  # noqa: ANN401  customer, card, metadata, account
        """A captured payment; returns its payment intent id."""
        made = self._order(
            "POST", "/_sandbox/payments", {"amount": amount_minor, "currency": currency, **fields}
        )
        return str(made["id"])

    def payments(self, key: str) -> list[dict[str, Any]]:
        """The newest hundred payment intents of the account that a test key opens."""
        answered = self.call(
            "GET", "/v1/payment_intents?limit=100", headers={"Authorization": f"Bearer {key}"}
        )
        return list(self._checked(answered.status, answered.body)["data"])

    def writes(self, payment: str) -> list[dict[str, Any]]:
        """Every refund of a payment that was really executed, oldest first."""
        return list(self._order("GET", f"/_sandbox/writes?{urlencode({'payment': payment})}")["writes"])

    def _order(self, method: str, path: str, sent: dict[str, Any] | None = None) -> dict[str, Any]:
        answered = self.call(method, path, sent)
        return self._checked(answered.status, answered.body)

    @staticmethod
    def _checked(status: int, body: Any) -> dict[str, Any]:  # noqa: ANN401  JSON values are any
        if status != 200 or not isinstance(body, dict):
            raise Unavailable("sandbox_refused", f"The sandbox answered {status}: {body}")
        return body
