"""The same small world three times: the fake provider, the simulator's, and the real adapter in front of the twin."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Protocol

from adapters.memory.provider import MemoryProvider
from adapters.stripe.access import StripeAccess
from adapters.stripe.provider import StripeProvider
from governor.domain.outcome import Outcome, Reply
from governor.domain.payments import Dispute
from governor.ports.provider import PaymentProvider, RefundOrder
from tests.fakes.provider import START, FakeProvider
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin


class ProviderWorld(Protocol):
    """What a contract test may arrange and ask."""

    @property
    def provider(self) -> PaymentProvider:
        """The one under test."""
        ...

    def payment(self, amount_minor: int, currency: str = "usd", *, pending: bool = False) -> str:
        """A captured payment; with `pending` its refunds take their time."""
        ...

    def refund_elsewhere(self, payment: str, amount_minor: int) -> None:
        """A refund past everybody's back."""
        ...

    def dispute(self, payment: str, dispute: Dispute) -> None:
        """A dispute is opened, won or lost."""
        ...

    def lose_next_reply(self) -> None:
        """The next refund is executed and nobody hears of it."""
        ...

    def go_down(self) -> None:
        """The provider cannot be read from now on."""
        ...

    def now(self) -> datetime:
        """The provider's own present, in whole seconds."""
        ...

    def wait_until(self, instant: datetime) -> None:
        """The provider's clock passes `instant`."""
        ...

    def executed(self, payment: str) -> list[int]:
        """The amounts refunded for us (not elsewhere), oldest first."""
        ...


class FakeWorld:
    """The fake."""

    def __init__(self) -> None:
        self.provider = FakeProvider()

    def payment(self, amount_minor: int, currency: str = "usd", *, pending: bool = False) -> str:
        self.provider.next_status = "pending" if pending else "succeeded"
        return self.provider.add_payment(captured_minor=amount_minor, currency=currency)

    def refund_elsewhere(self, payment: str, amount_minor: int) -> None:
        self.provider.refund_elsewhere(payment, amount_minor)

    def dispute(self, payment: str, dispute: Dispute) -> None:
        self.provider.dispute(payment, dispute)

    def lose_next_reply(self) -> None:
        self.provider.lose_next_reply()

    def go_down(self) -> None:
        self.provider.unavailable = True

    def now(self) -> datetime:
        return self.provider.now()

    def wait_until(self, instant: datetime) -> None:
        self.provider.now = lambda: instant

    def executed(self, payment: str) -> list[int]:
        return [made.amount_minor for made in self.provider.executed(payment) if made.request_id]


class _Losing(MemoryProvider):
    """Loses the reply that it is told to lose."""

    loses = False

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        reply = super().create_refund(order, first=first, deadline_seconds=deadline_seconds)
        loses, self.loses = self.loses, False
        return Reply(Outcome.UNKNOWN, "read_timeout") if loses else reply


class MemoryWorld:
    """The provider of the simulator."""

    def __init__(self) -> None:
        self._at = START
        self.provider = _Losing(self.now, account="acct_1")

    def payment(self, amount_minor: int, currency: str = "usd", *, pending: bool = False) -> str:
        self.provider.next_status = "pending" if pending else "succeeded"
        return self.provider.add_payment(amount_minor, currency, customer="cus_1")

    def refund_elsewhere(self, payment: str, amount_minor: int) -> None:
        self.provider.refund_elsewhere(payment, amount_minor)

    def dispute(self, payment: str, dispute: Dispute) -> None:
        self.provider.dispute(payment, dispute)

    def lose_next_reply(self) -> None:
        self.provider.loses = True

    def go_down(self) -> None:
        self.provider.unavailable = True

    def now(self) -> datetime:
        return self._at

    def wait_until(self, instant: datetime) -> None:
        self._at = instant

    def executed(self, payment: str) -> list[int]:
        ours = (one.refund for one in self.provider.made if one.key)
        return [one.amount_minor for one in ours if one.payment == payment]


class TwinWorld:
    """The real adapter, over sockets, against the twin."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        access = StripeAccess("sk_test_Contract1", twin.url, read_seconds=PATIENCE_SECONDS)
        self.provider = StripeProvider(access, now=lambda: START)

    def payment(self, amount_minor: int, currency: str = "usd", *, pending: bool = False) -> str:
        card = "pm_card_pendingRefund" if pending else "pm_card_visa"
        return self._twin.payment(amount_minor, currency, card=card, customer="cus_1")

    def refund_elsewhere(self, payment: str, amount_minor: int) -> None:
        self._twin.dashboard_refund(payment, amount_minor)

    def dispute(self, payment: str, dispute: Dispute) -> None:
        self._twin.dispute(payment, "needs_response")
        if dispute is not Dispute.OPEN:
            self._twin.dispute(payment, dispute.value)

    def lose_next_reply(self) -> None:
        self._twin.fault("drop_after", path="/v1/refunds", method="POST")

    def go_down(self) -> None:
        self._twin.fault("error_503", times=100)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._twin.advance(0), UTC)

    def wait_until(self, instant: datetime) -> None:
        seconds = math.ceil((instant - self.now()).total_seconds())
        self._twin.advance(max(seconds, 0))

    def executed(self, payment: str) -> list[int]:
        return [int(write["amount"]) for write in self._twin.writes(payment) if write["idempotency_key"]]
