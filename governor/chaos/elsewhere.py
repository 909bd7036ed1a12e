"""Somebody who refunds in the provider's own Dashboard, past governor."""

from __future__ import annotations

from collections.abc import Sequence

from governor.chaos.calling import Api
from governor.chaos.clients import Client, Weather
from governor.cli.twin import TwinControl
from governor.domain.errors import Unavailable


class Elsewhere(Client):
    """Refunds a little of any payment now and then; the provider may refuse, or not be there."""

    ends_with_the_storm = True
    rest_seconds = (0.5, 2.5)

    def __init__(
        self, api: Api, weather: Weather, twin_url: str, payments: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__(api, weather)
        self._twin_url, self._payments = twin_url, payments

    def step(self) -> None:
        """One refund."""
        payment, _ = self.chance.choice(self._payments)
        try:
            with TwinControl(self._twin_url) as twin:
                twin.refund_elsewhere(payment, self.chance.randint(1, 400))
        except Unavailable:
            self.told.mark("refund_elsewhere_refused")
