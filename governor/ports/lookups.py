"""Finding things by the names that the provider gives them."""

from __future__ import annotations

from typing import Protocol


class Lookups(Protocol):
    """Each look is in one environment and knows only what governor has seen."""

    def request_of_refund(self, environment: str, refund: str) -> str | None:
        """The id of the refund request that this refund (`re_…`) belongs to."""
        ...

    def payment_of_charge(self, environment: str, charge: str) -> str | None:
        """The payment (`pi_…`) of a charge (`ch_…`)."""
        ...
