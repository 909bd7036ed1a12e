"""Reading several payments anew before something is decided about each of them, so that people wait once."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

from governor.domain.errors import NotFound, Unavailable
from governor.domain.payments import PaymentFacts
from governor.ports.store import UnitOfWork
from governor.usecases.holds import see_fresh
from governor.usecases.payment_facts import ReadPaymentFacts

AT_ONCE = 4
"""So many reads under way: twenty old payments take as long as five, and the provider's rate is far."""


@dataclass(frozen=True)
class ReadAhead:
    """Whatever is older than `max_age` is read, a few at a time, and kept as any look at a payment is."""

    store: UnitOfWork
    facts: ReadPaymentFacts
    max_age: timedelta

    def __call__(self, environment: str, payments: Collection[str]) -> dict[str, Unavailable]:
        """Those of them that stay old, since the provider fell silent: none is asked about after that.

        One that is not found is nobody's silence: whoever decides about it hears that.
        """
        old = self._old(environment, payments)
        if len(old) < 2:
            return {}
        look = _UntilSilence(self.facts, environment)
        with ThreadPoolExecutor(min(AT_ONCE, len(old))) as pool:
            seen = list(pool.map(look, old))
        fresh = [one for one in seen if isinstance(one, PaymentFacts)]
        if fresh:
            with self.store.environment(environment) as tx:
                for facts in fresh:
                    see_fresh(tx, facts)
        return {name: one for name, one in zip(old, seen, strict=True) if isinstance(one, Unavailable)}

    def _old(self, environment: str, payments: Collection[str]) -> list[str]:
        now = self.store.now()
        with self.store.reading() as reads:
            known = {payment: reads.payment(environment, payment) for payment in payments}
        return [name for name, one in known.items() if one is None or now - one[0].read_at > self.max_age]


@dataclass
class _UntilSilence:
    """Looks at one payment, in any of several threads, as long as none of them has met silence."""

    facts: ReadPaymentFacts
    environment: str
    silence: Unavailable | None = field(default=None, init=False)

    def __call__(self, payment: str) -> PaymentFacts | Unavailable | None:
        if self.silence is None:
            try:
                return self.facts.fresh(self.environment, payment)
            except NotFound:
                return None
            except Unavailable as error:
                self.silence = error
        return self.silence
