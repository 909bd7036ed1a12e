"""A payment provider in memory: refunds add up, keys are kept for a day and then forgotten, statuses move on.

What it answers is what Stripe's answers prove (STRIPE.md §2): a refusal counts for its own call, and for every
call with the key once it is told again from what was kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from governor.domain.errors import NotFound, Unavailable
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import (
    COMMITTED_STATUSES,
    Dispute,
    PaymentFacts,
    PaymentMethod,
    ProviderRefund,
)
from governor.ports.provider import ProviderAccount, ProviderEvent, RefundOrder

KEY_LIFE = timedelta(hours=24)
"""For how long Stripe keeps a key at least (STRIPE.md §3); this provider forgets it at that very moment."""

EVENTS_KEPT = timedelta(days=30)
"""For how long Stripe lists its events (STRIPE.md §5)."""

SAVED_500 = Reply(Outcome.UNKNOWN, "http_500", 500)


@dataclass(frozen=True)
class Made:
    """A refund that was really made. `key` is the idempotency key of its call; None when nobody sent one."""

    refund: ProviderRefund
    key: str | None


@dataclass(frozen=True)
class _Kept:
    order: RefundOrder
    reply: Reply
    until: datetime


class MemoryProvider:
    """`governor.ports.provider.PaymentProvider`. `now` is the provider's own clock (UTC)."""

    def __init__(self, now: Callable[[], datetime], account: str = "acct_memory") -> None:
        self.account = account
        self.next_status = "succeeded"
        """What becomes of the next refund at first."""
        self.made: list[Made] = []
        """Every refund there is, oldest first."""
        self.events: list[ProviderEvent] = []
        """Everything it would tell a webhook, oldest first."""
        self.unavailable = False
        """Whether it can be read at all."""
        self.first_kept: dict[str, datetime] = {}
        """When each key was first kept, whether or not it is still."""
        self._now = now
        self._payments: dict[str, PaymentFacts] = {}
        self._kept: dict[str, _Kept] = {}

    # What happens to it

    def add_payment(self, captured_minor: int, currency: str = "usd", customer: str | None = None) -> str:
        """A captured payment; returns its id."""
        payment = f"pi_{len(self._payments) + 1}"
        self._payments[payment] = PaymentFacts(
            payment=payment,
            account=self.account,
            currency=currency,
            captured_minor=captured_minor,
            customer=customer,
            livemode=False,
            refundable_status=True,
            dispute=Dispute.NONE,
            charge=f"ch_{payment.removeprefix('pi_')}",
            refunds=(),
            read_at=self._now(),
            paid_at=self._now().replace(microsecond=0),
            method=PaymentMethod("card", "visa", "4242"),
            connected=False,
        )
        return payment

    def dispute(self, payment: str, dispute: Dispute) -> None:
        """A dispute is opened, won or lost."""
        opened = self._payments[payment].dispute is Dispute.NONE
        self._payments[payment] = replace(self._payments[payment], dispute=dispute)
        closed = dispute in {Dispute.WON, Dispute.LOST}
        word = "created" if opened else "closed" if closed else "updated"
        self._tell(f"charge.dispute.{word}", payment, None, None)

    def refund_elsewhere(self, payment: str, amount_minor: int) -> ProviderRefund | None:
        """A refund made past governor; None when the payment has not that much left."""
        if amount_minor > self._left(payment):
            return None
        return self._make(payment, amount_minor, None, None)

    def move(self, refund_id: str, status: str) -> None:
        """A refund's status changes, as a bank makes it."""
        number = next(n for n, one in enumerate(self.made) if one.refund.id == refund_id)
        made = self.made[number]
        self.made[number] = replace(made, refund=replace(made.refund, status=status))
        word = "failed" if status == "failed" else "updated"
        self._tell(f"refund.{word}", made.refund.payment, refund_id, None)

    def fail_and_keep(self, order: RefundOrder, *, executed: bool) -> Reply:
        """Answer 500, after executing or before, and keep that answer under the key."""
        self._forget()
        if order.idempotency_key in self._kept:
            return self._replayed(order)
        if executed:
            self._execute(order)
        self._keep(order, SAVED_500)
        return SAVED_500

    # The port

    def read_account(self) -> ProviderAccount:
        """Name the account."""
        self._reading()
        return ProviderAccount(self.account, livemode=False)

    def read_payment(self, payment: str) -> PaymentFacts:
        """All facts, newest refund first."""
        self._reading()
        if payment not in self._payments:
            raise NotFound("payment_not_found", "The provider does not know this payment.")
        return replace(self._payments[payment], refunds=self.list_refunds(payment), read_at=self._now())

    def payment_of(self, charge: str) -> str:
        """The payment that a charge paid: the two are named alike."""
        return self.read_payment(f"pi_{charge.removeprefix('ch_')}").payment

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """All refunds of a payment, newest first; none for a payment it does not know."""
        self._reading()
        return tuple(one.refund for one in reversed(self.made) if one.refund.payment == payment)

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """All refunds made at `since` or later, newest first."""
        self._reading()
        return tuple(
            one.refund
            for one in reversed(self.made)
            if one.refund.created_at is not None and one.refund.created_at >= since
        )

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """Everything told at `since` or later and less than 30 days ago, newest first."""
        self._reading()
        oldest = max(since, self._now() - EVENTS_KEPT)
        return tuple(event for event in reversed(self.events) if event.happened_at >= oldest)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        """Tell what is kept under the key, or execute."""
        if deadline_seconds <= 0:
            outcome = Outcome.NOT_EXECUTED if first else Outcome.UNKNOWN
            return Reply(outcome, "not_sent", retry_after_seconds=5 if first else 0)
        self._forget()
        if order.idempotency_key in self._kept:
            return self._replayed(order)
        reply = self._execute(order)
        self._keep(order, reply)
        if reply.outcome is Outcome.REJECTED and not first:
            return replace(reply, outcome=Outcome.UNKNOWN)  # it says nothing about the earlier attempt
        return reply

    # Inside

    def _reading(self) -> None:
        if self.unavailable:
            raise Unavailable("payment_facts_unavailable", "The payment provider could not be read.")

    def _tell(self, what: str, payment: str | None, refund: str | None, key: str | None) -> None:
        at = self._now().replace(microsecond=0)
        event = ProviderEvent(
            f"evt_{len(self.events) + 1}",
            what,
            at,
            livemode=False,
            account=None,
            payment=payment,
            refund=refund,
            key=key,
        )
        self.events.append(event)

    def _forget(self) -> None:
        now = self._now()
        self._kept = {key: kept for key, kept in self._kept.items() if now < kept.until}

    def _keep(self, order: RefundOrder, reply: Reply) -> None:
        now = self._now()
        self.first_kept.setdefault(order.idempotency_key, now)
        self._kept[order.idempotency_key] = _Kept(order, reply, now + KEY_LIFE)

    def _replayed(self, order: RefundOrder) -> Reply:
        kept = self._kept[order.idempotency_key]
        if kept.order != order:
            return Reply(Outcome.UNKNOWN, "idempotency_error", 400, alarm=Alarm.IDENTITY_BROKEN)
        return replace(kept.reply, replayed=True, kept=kept.reply.outcome is Outcome.REJECTED)

    def _left(self, payment: str) -> int:
        ours = (one.refund for one in self.made if one.refund.payment == payment)
        taken = sum(one.amount_minor for one in ours if one.status in COMMITTED_STATUSES)
        return self._payments[payment].captured_minor - taken

    def _execute(self, order: RefundOrder) -> Reply:
        facts = self._payments.get(order.payment)
        if facts is None:
            return Reply(Outcome.REJECTED, "resource_missing", 404, alarm=Alarm.CONFIGURATION)
        if facts.dispute in {Dispute.OPEN, Dispute.LOST}:
            return Reply(Outcome.REJECTED, "charge_disputed", 400)
        left = self._left(order.payment)
        if left == 0:
            return Reply(Outcome.REJECTED, "charge_already_refunded", 400)
        if order.amount_minor > left:
            return Reply(Outcome.REJECTED, "amount_refused", 400)
        refund = self._make(order.payment, order.amount_minor, order.request_id, order.idempotency_key)
        return Reply(Outcome.ACCEPTED, f"refund_{refund.status}", 200, refund=refund)

    def _make(
        self, payment: str, amount_minor: int, request_id: str | None, key: str | None
    ) -> ProviderRefund:
        refund = ProviderRefund(
            id=f"re_{len(self.made) + 1}",
            payment=payment,
            amount_minor=amount_minor,
            currency=self._payments[payment].currency,
            status=self.next_status if key else "succeeded",
            request_id=request_id,
            created_at=self._now().replace(microsecond=0),
        )
        self.made.append(Made(refund, key))
        self._tell("refund.created", payment, refund.id, key)
        self._tell("charge.refunded", payment, None, key)
        return refund
