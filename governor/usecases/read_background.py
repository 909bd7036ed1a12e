"""What stands around a payment, for whoever decides about a refund of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.domain.background import Background
from governor.domain.payments import PaymentFacts
from governor.ports.background import BackgroundReader, Backgrounds
from governor.ports.store import UnitOfWork

MISSED_FOR = timedelta(minutes=1)
"""After a look that could read nothing, whoever comes next does not wait for the same."""


@dataclass(frozen=True)
class ReadBackground:
    """What is known, looked at anew once the newest look is older than `max_age`, or MISSED_FOR where it read nothing."""

    store: UnitOfWork
    backgrounds: Backgrounds
    reader: BackgroundReader
    max_age: timedelta

    def __call__(self, environment: str, payment: str, facts: PaymentFacts | None) -> Background | None:
        """What is known of it, each part saying when it was read; None when nobody knows anything.

        Without `facts` (nothing is decided any more, or the provider is away) the provider is not asked.
        """
        kept = self.backgrounds.kept(environment, payment)
        read = None if facts is None or self._is_young(kept) else self.reader.read(facts)
        return kept if read is None else self.backgrounds.keep(environment, payment, read)

    def _is_young(self, kept: Background | None) -> bool:
        if kept is None:
            return False
        age = self.store.now() - kept.read_at
        return age <= (min(MISSED_FOR, self.max_age) if kept.is_missed else self.max_age)
