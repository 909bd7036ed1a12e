"""How Stripe is reached: for which account, where, and how long anybody waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.stripe.client import build_client
from adapters.stripe.wire import call_within

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import stripe

    from adapters.stripe.wire import Call


@dataclass(frozen=True)
class StripeAccess:
    """One account in test mode, at `base_url` (None: Stripe itself).

    `read_seconds` are for everything that is read for one question, all of its HTTP calls together, and
    `connect_seconds` for each connection within them.
    """

    secret_key: str = field(repr=False)
    base_url: str | None = None
    connect_seconds: float = 3.0
    read_seconds: float = 10.0

    def client(self) -> stripe.StripeClient:
        """The SDK for this account.

        Raises:
            Forbidden: `live_mode_refused` for any key but a test key. Invalid: `base_url` is no address.
        """
        return build_client(self.secret_key, self.base_url)

    def within(self, seconds: float | None = None) -> AbstractContextManager[Call]:
        """Whatever is called inside the block ends within so many seconds; those for reading when none are said."""
        return call_within(
            self.read_seconds if seconds is None else seconds, connect_seconds=self.connect_seconds
        )
