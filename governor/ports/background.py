"""What stands around a payment: read from the provider when somebody decides, and kept for a while."""

from __future__ import annotations

from typing import Protocol

from governor.domain.background import Background
from governor.domain.payments import PaymentFacts


class BackgroundReader(Protocol):
    """The provider, asked for what nobody's decision depends on. Never called while a transaction is open."""

    def read(self, facts: PaymentFacts) -> Background | None:
        """What it says now, as far as it says it within a few seconds; None when it says nothing at all."""
        ...


class Backgrounds(Protocol):
    """The newest look at each payment."""

    def kept(self, environment: str, payment: str) -> Background | None:
        """The newest look that is kept.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...

    def keep(self, environment: str, payment: str, background: Background) -> None:
        """Keep this look, unless a newer one is kept.

        Raises:
            Unavailable: `database_unavailable`.
        """
        ...
