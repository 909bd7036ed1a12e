"""What stands around a payment, for whoever decides about a refund of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.domain.background import Background
from governor.domain.payments import PaymentFacts
from governor.ports.background import BackgroundReader, Backgrounds
from governor.ports.store import UnitOfWork


@dataclass(frozen=True)
class ReadBackground:
    """What is known, looked at anew once the newest look is older than `max_age`."""

    store: UnitOfWork
    backgrounds: Backgrounds
    reader: BackgroundReader
    max_age: timedelta

    def __call__(self, environment: str, payment: str, facts: PaymentFacts | None) -> Background | None:
        """What is known of it, each part saying when it was read; None when nobody knows anything.

        Without `facts` (nothing is decided any more, or the provider is away) the provider is not asked.
        """
        kept = self.backgrounds.kept(environment, payment)
        is_young = kept is not None and self.store.now() - kept.read_at <= self.max_age
        read = None if facts is None or is_young else self.reader.read(facts)
        return kept if read is None else self.backgrounds.keep(environment, payment, read)
