"""Reading several payments anew before something is decided about each of them, so that people wait once."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from governor.domain.errors import NotFound, Unavailable
from governor.domain.payments import PaymentFacts
from governor.ports.store import UnitOfWork
from governor.usecases.holds import see_fresh
from governor.usecases.payment_facts import FreshFacts

AT_ONCE = 4
"""So many reads under way: twenty old payments take as long as five, and the provider's rate is far."""


@dataclass
class UntilSilence:
    """Looks at payments, in any of several threads, until one look meets silence: then nobody is asked any more."""

    facts: FreshFacts
    silence: Unavailable | None = field(default=None, init=False)

    def fresh(self, environment: str, payment: str) -> PaymentFacts:
        """As `FreshFacts` says; the silence that was met, once there is one."""
        if self.silence is not None:
            raise self.silence
        try:
            return self.facts.fresh(environment, payment)
        except Unavailable as silence:
            self.silence = silence
            raise


@dataclass(frozen=True)
class ReadAhead:
    """Whatever is older than `max_age` is read, a few at a time, and kept as any look at a payment is."""

    store: UnitOfWork
    facts: FreshFacts
    max_age: timedelta

    def __call__(self, environment: str, payments: Collection[str]) -> None:
        """Refuses nothing: whoever decides about a payment that stays old, or is not found, hears why."""
        old = self._old(environment, payments)
        if len(old) < 2:
            return
        with ThreadPoolExecutor(min(AT_ONCE, len(old))) as pool:
            seen = list(pool.map(partial(self._seen, environment), old))
        fresh = [one for one in seen if one is not None]
        if fresh:
            with self.store.environment(environment) as tx:
                for facts in fresh:
                    see_fresh(tx, facts)

    def _seen(self, environment: str, payment: str) -> PaymentFacts | None:
        try:
            return self.facts.fresh(environment, payment)
        except (NotFound, Unavailable):
            return None

    def _old(self, environment: str, payments: Collection[str]) -> list[str]:
        now = self.store.now()
        with self.store.reading() as reads:
            known = {payment: reads.payment(environment, payment) for payment in payments}
        return [name for name, one in known.items() if one is None or now - one[0].read_at > self.max_age]
