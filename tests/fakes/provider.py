"""A provider in memory: refunds really add up, keys really replay, and any answer can be ordered up.

    provider = FakeProvider()
    payment = provider.add_payment(captured_minor=5000)
    provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))   # not executed, and this is the reply
    provider.lose_next_reply()                                     # executed, and nobody hears of it
    provider.create_refund(order, first=True, deadline_seconds=5)
    provider.executed(payment)                                     # what the provider really did

Calls are recorded in order in `calls` and `orders`, what happened in `events`. Safe to call from many threads. It keeps the promises
of tests/contracts/test_provider_contract.py, which also holds the real adapter to them.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from governor.domain.errors import NotFound, Unavailable
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import COMMITTED_STATUSES, Dispute, PaymentFacts, ProviderRefund
from governor.ports.provider import ProviderAccount, ProviderEvent, RefundOrder
from tests.unit.values import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
LOST = Reply(Outcome.UNKNOWN, "read_timeout")


@dataclass
class FakeProvider:
    """One account in test mode. `now` is its clock, `before_call` runs inside every create call."""

    account: str = "acct_fake"
    livemode: bool = False
    now: Callable[[], datetime] = lambda: START
    before_call: Callable[[RefundOrder], None] = lambda _order: None
    unavailable: bool = False
    next_status: str = "succeeded"
    calls: list[tuple[str, str]] = field(default_factory=list)
    orders: list[RefundOrder] = field(default_factory=list)
    events: list[ProviderEvent] = field(default_factory=list)
    _payments: dict[str, PaymentFacts] = field(default_factory=dict)
    _kept: dict[str, tuple[RefundOrder, Reply]] = field(default_factory=dict)
    _ordered: deque[Reply | BaseException | None] = field(default_factory=deque)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    # What the test arranges ------------------------------------------------------------------

    def add_payment(self, payment: str | None = None, *, captured_minor: int = 5000, **facts: Any) -> str:
        """Make a captured payment and return its id; `facts` are fields of its facts."""
        with self._lock:
            payment = payment or f"pi_{len(self._payments) + 1}"
            given: dict[str, Any] = {
                "payment": payment,
                "charge": f"ch_{payment[3:]}",
                "captured_minor": captured_minor,
            }
            own = {"account": self.account, "read_at": self.now(), "paid_at": None}
            self._payments[payment] = replace(FACTS, **(given | own | facts))
            return payment

    def dispute(self, payment: str, dispute: Dispute) -> None:
        """Open, win or lose a dispute of the payment."""
        with self._lock:
            self._payments[payment] = replace(self._payments[payment], dispute=dispute)
            word = "created" if dispute is Dispute.OPEN else "closed"
            self._announce(f"charge.dispute.{word}", payment)

    def refund_elsewhere(self, payment: str, amount_minor: int) -> ProviderRefund:
        """A refund made in the Dashboard: it carries none of our ids."""
        with self._lock:
            return self._add_refund(payment, amount_minor, None, "succeeded")

    def refund_for(self, payment: str, amount_minor: int, request_id: str) -> ProviderRefund:
        """A refund that carries this id of ours, made by nobody we know."""
        with self._lock:
            return self._add_refund(payment, amount_minor, request_id, "succeeded")

    def announce_only(self, payment: str, key: str) -> None:
        """An event says that this key made a refund, and no list shows one."""
        with self._lock:
            self._announce("refund.created", payment, "re_of_an_event", key)

    def edit_metadata(self, payment: str) -> None:
        """Somebody deletes the metadata of the payment's refunds in the Dashboard."""
        with self._lock:
            facts = self._payments[payment]
            bare = tuple(replace(refund, request_id=None) for refund in facts.refunds)
            self._payments[payment] = replace(facts, refunds=bare)

    def set_status(self, refund_id: str, status: str | None) -> ProviderRefund:
        """Change the status of a refund later, as a bank does."""
        with self._lock:
            for payment, facts in self._payments.items():
                for refund in facts.refunds:
                    if refund.id == refund_id:
                        changed = replace(refund, status=status)
                        refunds = tuple(changed if r is refund else r for r in facts.refunds)
                        self._payments[payment] = replace(facts, refunds=refunds)
                        self._announce("refund.updated", payment, refund_id)
                        return changed
            raise LookupError(refund_id)

    def answer_next(self, answer: Reply | BaseException) -> None:
        """The next create call executes nothing and gives this answer (or raises it). Queues up."""
        self._ordered.append(answer)

    def lose_next_reply(self) -> None:
        """The next create call executes, and its reply is lost. Queues up."""
        self._ordered.append(None)

    # What the test asks ----------------------------------------------------------------------

    def executed(self, payment: str) -> tuple[ProviderRefund, ...]:
        """Every refund the provider really made of this payment, oldest first."""
        with self._lock:
            return tuple(reversed(self._payments[payment].refunds))

    # The port --------------------------------------------------------------------------------

    def read_account(self) -> ProviderAccount:
        """Name the account."""
        self._reading("read_account", "")
        return ProviderAccount(self.account, self.livemode)

    def read_payment(self, payment: str) -> PaymentFacts:
        """All facts, newest refund first."""
        self._reading("read_payment", payment)
        with self._lock:
            if payment not in self._payments:
                raise NotFound("payment_not_found", "The provider does not know this payment.")
            return replace(self._payments[payment], read_at=self.now())

    def payment_of(self, charge: str) -> str:
        """The payment that a charge paid: the two are named alike."""
        return self.read_payment(f"pi_{charge.removeprefix('ch_')}").payment

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """All refunds of a payment, newest first; none for a payment it does not know."""
        self._reading("list_refunds", payment)
        with self._lock:
            return self._payments[payment].refunds if payment in self._payments else ()

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """All refunds made at `since` or later, newest first."""
        self._reading("list_refunds_since", "")
        with self._lock:
            made = [refund for facts in self._payments.values() for refund in facts.refunds]
        young = [refund for refund in made if refund.created_at and refund.created_at >= since]
        return tuple(sorted(young, key=lambda refund: int(refund.id.removeprefix("re_")), reverse=True))

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """What happened since then, newest first."""
        self._reading("list_events_since", "")
        with self._lock:
            return tuple(event for event in reversed(self.events) if event.happened_at >= since)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        """Give the ordered answer, or replay the kept one, or execute."""
        if deadline_seconds <= 0:
            outcome = Outcome.NOT_EXECUTED if first else Outcome.UNKNOWN
            return Reply(outcome, "not_sent", retry_after_seconds=5 if first else 0)
        with self._lock:
            self.calls.append(("create_refund", order.payment))
            self.orders.append(order)
            answer = self._ordered.popleft() if self._ordered else order
        self.before_call(order)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Reply):
            return answer
        with self._lock:
            reply = self._replay_or_execute(order, first=first)
        return LOST if answer is None else reply

    def _reading(self, call: str, payment: str) -> None:
        with self._lock:
            self.calls.append((call, payment))
        if self.unavailable:
            raise Unavailable("payment_facts_unavailable", "The payment provider could not be read.")

    def _replay_or_execute(self, order: RefundOrder, *, first: bool) -> Reply:
        if order.idempotency_key in self._kept:
            kept_order, kept = self._kept[order.idempotency_key]
            if kept_order != order:
                return Reply(Outcome.UNKNOWN, "idempotency_error", 400, alarm=Alarm.IDENTITY_BROKEN)
            return replace(kept, replayed=True, kept=kept.outcome is Outcome.REJECTED)
        reply = self._execute(order)
        self._kept[order.idempotency_key] = (order, reply)
        if reply.outcome is Outcome.REJECTED and not first:
            return replace(reply, outcome=Outcome.UNKNOWN)  # it says nothing about the earlier attempt
        return reply

    def _execute(self, order: RefundOrder) -> Reply:
        facts = self._payments.get(order.payment)
        if facts is None:
            return Reply(Outcome.REJECTED, "resource_missing", 404, alarm=Alarm.CONFIGURATION)
        taken = sum(r.amount_minor for r in facts.refunds if r.status in COMMITTED_STATUSES)
        if facts.dispute in {Dispute.OPEN, Dispute.LOST}:
            return Reply(Outcome.REJECTED, "charge_disputed", 400)
        if taken == facts.captured_minor:
            return Reply(Outcome.REJECTED, "charge_already_refunded", 400)
        if taken + order.amount_minor > facts.captured_minor:
            return Reply(Outcome.REJECTED, "amount_refused", 400)
        refund = self._add_refund(
            order.payment, order.amount_minor, order.request_id, self.next_status, order.idempotency_key
        )
        return Reply(Outcome.ACCEPTED, "refund_" + self.next_status, 200, "req_fake", refund)

    def _add_refund(
        self, payment: str, amount_minor: int, request_id: str | None, status: str, key: str | None = None
    ) -> ProviderRefund:
        facts = self._payments[payment]
        number = sum(len(p.refunds) for p in self._payments.values()) + 1
        refund = ProviderRefund(
            f"re_{number}", payment, amount_minor, facts.currency, status, request_id, self.now()
        )
        self._payments[payment] = replace(facts, refunds=(refund, *facts.refunds))
        self._announce("refund.created", payment, refund.id, key)
        self._announce("charge.refunded", payment, None, key)
        return refund

    def _announce(self, kind: str, payment: str, refund: str | None = None, key: str | None = None) -> None:
        """Only what a call of ours caused carries its key, and only as it is born (STRIPE.md §5)."""
        number, now = len(self.events) + 1, self.now().replace(microsecond=0)
        self.events.append(ProviderEvent(f"evt_fake_{number}", kind, now, False, None, payment, refund, key))
