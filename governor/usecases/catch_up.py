"""Catching up with what no webhook told: the provider's list of events, and its list of all refunds.

Both are walked by the provider's own clock: a walk goes on where the newest thing seen by the last one happened,
with some overlap, so that clocks that disagree lose nothing. What is seen twice is booked once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.checkpoint import checkpoint
from governor.domain.environments import SETTLING
from governor.domain.errors import Conflict, NotFound
from governor.domain.payments import ProviderRefund
from governor.domain.recovery import EVENTS_KEPT
from governor.ports.inbox import EventInbox, Received
from governor.ports.provider import PaymentProvider
from governor.ports.store import UnitOfWork
from governor.usecases.change_environment import existing
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.see_refunds import see_refunds, seen

OVERLAP = timedelta(minutes=5)
"""How far a walk goes back behind the newest thing seen: times are whole seconds, and lists may fill late."""

BEFORE_FOUNDING = timedelta(days=1)
"""The first walk begins this long before the environment was founded: whose clock is right is not known yet."""


@dataclass(frozen=True)
class CaughtUp:
    """What a walk found: new events in the inbox, and refunds that were news to the books."""

    events: int
    refunds: int


@dataclass(frozen=True)
class CatchUp:
    """Walk the provider's lists. `events_every` and `refunds_every`: how long after one walk began the next is due.

    300 s and 3600 s are 9,360 calls a month for an idle account: inside Stripe's smallest budget of reads
    (STRIPE.md §6).
    """

    store: UnitOfWork
    inbox: EventInbox
    provider: PaymentProvider
    facts: ReadPaymentFacts
    events_every: timedelta
    refunds_every: timedelta

    def __call__(self, environment: str) -> CaughtUp:
        """Walk both lists now.

        Raises:
            NotFound: no such environment. Conflict: `account_changed`, the provider key is another account's.
            Unavailable: a list was not read to its end.
        """
        return CaughtUp(self.events(environment), self.refunds(environment))

    def due(self, environment: str) -> CaughtUp:
        """Walk whichever list is due.

        Raises:
            NotFound, Conflict, Unavailable: as above.
        """
        now = self.store.now()
        events = self.events(environment) if self._is_due(environment, "events", now) else 0
        refunds = self.refunds(environment) if self._is_due(environment, "refunds", now) else 0
        return CaughtUp(events, refunds)

    def events(self, environment: str) -> int:
        """Put events that no webhook brought into the inbox; returns how many were new."""
        begin, begun = self._begin(environment, "events")
        since = max(begin, self.store.now() - EVENTS_KEPT)
        listed = [event for event in self.provider.list_events_since(since) if not event.livemode]
        checkpoint("walk.events_listed")
        new = self.inbox.keep(environment, [Received.of(event) for event in listed])
        checkpoint("walk.events_kept")
        until = max([since, *(event.happened_at for event in listed)])
        self.inbox.walked(environment, "events", until, begun)
        return new

    def refunds(self, environment: str) -> int:
        """Book every refund of the account that is news; returns how many were.

        A walk that stops in the middle begins anew: what it has booked is no news then.
        """
        since, begun = self._begin(environment, "refunds")
        listed = self.provider.list_refunds_since(since)
        checkpoint("walk.refunds_listed")
        by_payment: dict[str | None, list[ProviderRefund]] = {}
        for refund in listed:
            by_payment.setdefault(refund.payment, []).append(refund)
        news = sum(self._see(environment, payment, refunds) for payment, refunds in by_payment.items())
        checkpoint("walk.refunds_booked")
        until = max([since, *(refund.created_at for refund in listed if refund.created_at)])
        self.inbox.walked(environment, "refunds", until, begun)
        return news

    def _see(self, environment: str, payment: str | None, refunds: list[ProviderRefund]) -> int:
        """Book refunds of one payment, if they are news: most are not, and need no transaction."""
        with self.store.reading() as reads:
            if not seen(reads, environment, payment, refunds):
                return 0
            known = reads.payment(environment, payment) if payment is not None else None
        customer = known[0].customer if known else self._customer(environment, payment)
        with self.store.environment(environment) as tx:
            return see_refunds(tx, payment, refunds, customer=customer)

    def _customer(self, environment: str, payment: str | None) -> str | None:
        if payment is None:
            return None
        try:
            return self.facts.fresh(environment, payment).customer
        except NotFound:
            return None

    def _begin(self, environment: str, name: str) -> tuple[datetime, datetime]:
        """Note that a walk begins; from where in the list, and when. Another account's refunds are not ours."""
        with self.store.reading() as reads:
            here = existing(reads.environment_named(environment))
        begun = self.inbox.tried(environment, name)
        if self.provider.read_account().id != here.account:
            raise Conflict("account_changed", "The provider key is another account's than the environment's.")
        walk = self.inbox.walk(environment, name)
        since = walk.until - OVERLAP if walk and walk.until else here.created_at - BEFORE_FOUNDING
        return since, begun

    def _is_due(self, environment: str, name: str, now: datetime) -> bool:
        walk = self.inbox.walk(environment, name)
        if walk is None:
            return True
        with self.store.reading() as reads:
            here = existing(reads.environment_named(environment))
        every = self.events_every if name == "events" else self.refunds_every
        if here.needs_walk(walk.walked_at) and not here.needs_walk(now):
            # A fence waits for this walk; nothing is sent before.
            every = min(every, SETTLING)
        return now - walk.tried_at >= every
