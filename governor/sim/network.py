"""The way to the provider: a call is sent, perhaps arrives, and perhaps its reply comes back; others act between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from adapters.memory.provider import MemoryProvider
from governor.domain.errors import Unavailable, require
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import PaymentFacts, ProviderRefund
from governor.ports.provider import ProviderAccount, ProviderEvent, RefundOrder
from governor.sim.clock import SimClock
from governor.sim.stage import Stage
from governor.sim.swarm import Swarm

LATEST = timedelta(hours=1)
"""How late a call can still arrive: proxies and sockets give up long before."""

TIMED_OUT = Reply(Outcome.UNKNOWN, "read_timeout")
_RATE_LIMITED = Reply(Outcome.NOT_EXECUTED, "rate_limited", 429, retry_after_seconds=2)
_REFUSED = Reply(Outcome.REJECTED, "charge_invalid_parameter", 400)
_UNAUTHORIZED = Reply(
    Outcome.NOT_EXECUTED, "unauthorized", 401, alarm=Alarm.PAUSE_ENVIRONMENT, retry_after_seconds=60
)


@dataclass(eq=False)
class Call:
    """A refund call under way. `answer` is what the provider said, `reply` what came back."""

    order: RefundOrder
    first: bool
    sent: timedelta
    earliest: timedelta
    """When it can arrive at the earliest."""
    answer: Reply | None = None
    reply: Reply | None = None
    awaited: bool = True


class Network:
    """`governor.ports.provider.PaymentProvider` for actors, and what the world does to their calls.

    `about_to_send` hears of each order in the moment in which its bytes leave.
    """

    def __init__(
        self, provider: MemoryProvider, stage: Stage, clock: SimClock, swarm: Swarm, random: Random
    ) -> None:
        self.faults = swarm
        self.calls: list[Call] = []
        self.about_to_send: Callable[[RefundOrder], None] = lambda _: None
        self.transaction_open: Callable[[], bool] = lambda: False
        self._provider = provider
        self._stage = stage
        self._clock = clock
        self._random = random

    # The port

    def read_account(self) -> ProviderAccount:
        """Name the account behind the key."""
        self._read("read account")
        return self._provider.read_account()

    def read_payment(self, payment: str) -> PaymentFacts:
        """Read a payment and all of its refunds."""
        self._read("read payment")
        return replace(self._provider.read_payment(payment), read_at=self._clock.now())

    def payment_of(self, charge: str) -> str:
        """The payment that a charge paid."""
        self._read("read charge")
        return self._provider.payment_of(charge)

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """All refunds of a payment."""
        self._read("list refunds")
        return self._provider.list_refunds(payment)

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """All refunds made since then."""
        self._read("list refunds since")
        return self._provider.list_refunds_since(since)

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """Everything that happened since then."""
        self._read("list events")
        return self._provider.list_events_since(since)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        """Send one call and wait for its reply, at most until the deadline.

        The bytes leave in the atom that looked at the gate last: between the two there is nothing to stop at.
        """
        require(not self.transaction_open(), "call_in_transaction", order.request_id)
        if deadline_seconds <= 0:
            return self._provider.create_refund(order, first=first, deadline_seconds=deadline_seconds)
        self.about_to_send(order)
        late = self._random.random() < self.faults.call_late
        delay = LATEST * self._random.random() if late else timedelta()
        call = Call(order, first, self._clock.passed, self._clock.passed + delay)
        self.calls.append(call)
        until = call.sent + timedelta(seconds=deadline_seconds)
        try:
            self._stage.stop(
                "reply",
                lambda: call.reply is not None or self._clock.passed >= until,
                about=order.request_id,
            )
        finally:
            call.awaited = False
        return call.reply or TIMED_OUT

    def _read(self, what: str) -> None:
        require(not self.transaction_open(), "call_in_transaction", what)
        self._stage.stop(what)
        if self._random.random() < self.faults.unreadable:
            raise Unavailable("payment_facts_unavailable", "The payment provider could not be read.")

    # What the world does

    @property
    def moving(self) -> list[Call]:
        """The calls that could arrive, or be answered, now."""
        return [call for call in self.calls if call.earliest <= self._clock.passed]

    def move_on(self, call: Call) -> str:
        """The call arrives, or the reply to it does, or either is lost; says which."""
        if call.answer is None:
            if self._random.random() < self.faults.call_lost:
                self.calls.remove(call)
                return "call lost"
            call.answer = self._arrive(call)
            return f"executed: {call.answer.outcome} {call.answer.reason}"
        self.calls.remove(call)
        if self._random.random() < self.faults.reply_lost:
            return "reply lost"
        call.reply = call.answer
        return "reply there" if call.awaited else "reply to nobody"

    def let_time_pass(self) -> None:
        """Calls that are too late have arrived in time, or never will."""
        for call in [one for one in self.calls if self._clock.passed - one.sent >= LATEST]:
            self.calls.remove(call)

    def _arrive(self, call: Call) -> Reply:
        faults, drawn = self.faults, self._random.random
        if drawn() < faults.rate_limited:
            return _unheard(_RATE_LIMITED, call)
        if drawn() < faults.unauthorized:
            return _unheard(_UNAUTHORIZED, call)
        if drawn() < faults.refused:
            return _unheard(_REFUSED, call)
        if drawn() < faults.saved_500:
            return self._provider.fail_and_keep(call.order, executed=drawn() < 0.5)
        return self._provider.create_refund(call.order, first=call.first, deadline_seconds=1)


def _unheard(reply: Reply, call: Call) -> Reply:
    """An answer given before the provider looks at the key proves nothing about an earlier call (STRIPE.md §2a)."""
    if call.first:
        return reply
    return Reply(Outcome.UNKNOWN, reply.reason, reply.http_status, alarm=reply.alarm)
