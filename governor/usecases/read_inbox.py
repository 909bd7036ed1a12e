"""The inbox is read: each event says only where to look; the payment itself is read anew.

So order, repetition and age of events cannot matter, and neither can what an event claims (STRIPE.md §5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from governor.checkpoint import checkpoint
from governor.domain.errors import NotFound, Unavailable
from governor.ports.inbox import EventInbox
from governor.ports.provider import ProviderEvent
from governor.ports.store import UnitOfWork
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.see_refunds import see_refunds

AT_ONCE = 20
"""How many events one round takes: each payment costs two or three reads of the provider."""


@dataclass(frozen=True)
class ReadInbox:
    """Bring what events point at into the books."""

    store: UnitOfWork
    inbox: EventInbox
    facts: ReadPaymentFacts

    def __call__(self, environment: str) -> int:
        """Read what is due until nothing is left; returns how many events were read.

        What cannot be read now comes due again; so does what a crash left behind.

        Raises:
            Unavailable: the database is away.
        """
        read = 0
        while events := self.inbox.take_due(environment, at_most=AT_ONCE):
            checkpoint("inbox.taken")
            about: dict[str | None, list[ProviderEvent]] = {}
            for event in events:
                about.setdefault(event.payment, []).append(event)
            for payment, group in about.items():
                result = self._look(environment, payment, group)
                if result is not None:
                    self.inbox.done(environment, [event.id for event in group], result)
                    read += len(group)
        return read

    def _look(self, environment: str, payment: str | None, events: Sequence[ProviderEvent]) -> str | None:
        """What became of these events of one payment; None when it must be tried again."""
        if payment is None:
            # A charge without a payment intent cannot be asked for here; the sweep of all refunds counts it.
            return "no_payment"
        try:
            facts = self.facts.fresh(environment, payment)
        except NotFound:
            return "payment_not_found"
        except Unavailable:
            return None
        checkpoint("inbox.looked")
        keys = {event.refund: event.key for event in events if event.refund and event.key}
        with self.store.environment(environment) as tx:
            if facts.livemode:
                return "live_mode"
            see_refunds(tx, payment, facts.refunds, customer=facts.customer, keys=keys)
            known = tx.payment(environment, payment)
            if known is not None and known[0].read_at < facts.read_at:
                # Disputes and captures count, too: the next decision must not rest on older facts.
                tx.save_facts(facts)
        checkpoint("inbox.booked")
        return "seen"
