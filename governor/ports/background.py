"""What stands around a payment: read from the provider when somebody decides, and kept for a while."""

from __future__ import annotations

from typing import Protocol

from governor.domain.background import Background
from governor.domain.payments import PaymentFacts


class BackgroundReader(Protocol):
    """The provider, asked for what nobody's decision depends on. Never called while a transaction is open."""

    def read(self, facts: PaymentFacts) -> Background | None:
        """What it says now, as far as it says it within a few seconds; None when there is nobody to ask about."""
        ...


class Backgrounds(Protocol):
    """What the looks at each payment have told."""

    def kept(self, environment: str, payment: str) -> Background | None:
        """What is known of it.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...

    def keep(self, environment: str, payment: str, look: Background) -> Background:
        """Keep what this look says beside what others said that it does not know, or that is newer: all of that.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...
