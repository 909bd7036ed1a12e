"""Finding things by the names that the provider gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class EventMatter:
    """What one of the provider's events was about, as far as it said so: a payment (`pi_…`), a refund (`re_…`)."""

    payment: str | None
    refund: str | None


class Lookups(Protocol):
    """Each look is in one environment and knows only what governor has seen."""

    def request_of_refund(self, environment: str, refund: str) -> str | None:
        """The id of the refund request that this refund (`re_…`) belongs to."""
        ...

    def payment_of_charge(self, environment: str, charge: str) -> str | None:
        """The payment (`pi_…`) of a charge (`ch_…`)."""
        ...

    def matter_of_event(self, environment: str, event: str) -> EventMatter | None:
        """What an event (`evt_…`) was about; None for one that never came."""
        ...
