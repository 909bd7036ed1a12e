"""Payment facts: read once from the provider, kept with their age, never read while a transaction is open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from governor.checkpoint import checkpoint
from governor.domain.errors import Conflict, NotFound
from governor.domain.payments import PaymentFacts
from governor.ports.provider import PaymentProvider
from governor.ports.store import UnitOfWork

READING_SECONDS = 15
"""For how long a key may stay in flight: longer than the slowest read (10 s in all), so that it ends by itself."""


class FreshFacts(Protocol):
    """Whoever looks at a payment at the provider now."""

    def fresh(self, environment: str, payment: str) -> PaymentFacts:
        """The facts as the provider shows them now.

        Raises:
            NotFound: `payment_not_found`, also for a payment of another account.
            Unavailable: `payment_facts_unavailable`.
        """
        ...


@dataclass(frozen=True)
class ReadPaymentFacts:
    """The facts a decision looks at, at most `max_age` old."""

    store: UnitOfWork
    provider: PaymentProvider
    max_age: timedelta

    def __call__(self, environment: str, payment: str) -> PaymentFacts:
        """The facts of a payment; from the cache while they are young.

        Raises:
            NotFound: `payment_not_found`, also for a payment of another account.
            Unavailable: `payment_facts_unavailable`.
        """
        with self.store.reading() as reads:
            known = reads.payment(environment, payment)
        if known is not None and self.store.now() - known[0].read_at <= self.max_age:
            return known[0]
        return self.fresh(environment, payment)

    def read_for(self, environment: str, payment: str, key: str) -> PaymentFacts:
        """Fresh facts for a request that will be decided under `key`.

        While the provider is being read, another request with this key hears that the first still runs.

        Raises:
            Conflict: `idempotency_in_flight`. NotFound, Unavailable: as above.
        """
        if not self.store.mark_in_flight(environment, key, READING_SECONDS):
            raise Conflict("idempotency_in_flight", "The first request with this key is still running.")
        try:
            checkpoint("admit.in_flight")
            return self.fresh(environment, payment)
        finally:
            self.store.clear_in_flight(environment, key)

    def fresh(self, environment: str, payment: str) -> PaymentFacts:
        """The facts as the provider shows them now.

        Raises:
            NotFound, Unavailable: as above.
        """
        facts = self.provider.read_payment(payment)
        with self.store.reading() as reads:
            here = reads.environment_named(environment)
        if here is None or facts.account != here.account:
            raise NotFound("payment_not_found", "There is no such payment in this environment.")
        return facts
