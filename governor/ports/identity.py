"""Signing in elsewhere: an identity provider says who somebody is, and governor believes it as far as it can check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Client:
    """What the provider knows us by. `groups_claim` is where it says which groups somebody is in."""

    issuer: str
    client_id: str
    client_secret: str
    redirect_url: str
    groups_claim: str


@dataclass(frozen=True)
class Started:
    """A way out to the provider: where the browser goes, and the ticket it must bring back, kept in a cookie."""

    url: str
    ticket: str


@dataclass(frozen=True)
class Identity:
    """Who came back. Only `issuer` and `subject` together name somebody; names and addresses can be anybody's."""

    issuer: str
    subject: str
    username: str
    """What they call themselves there; "" when the provider does not say."""
    name: str
    groups: tuple[str, ...]
    proved_at: datetime | None
    """When they last proved who they are there (UTC); None when the provider does not say."""
    trip: str
    """Names this one way there and back: nobody comes in twice by it."""


class IdentityProvider(Protocol):
    """The one provider that this installation trusts."""

    def begin(self, *, fresh: bool) -> Started:
        """A new way out; `fresh` asks that they prove themselves there again, whatever session they have.

        Raises:
            Unavailable: `identity_provider_unavailable`.
        """
        ...

    def finish(self, ticket: str, answer: Mapping[str, str]) -> Identity:
        """Who came back with this ticket and these query parameters.

        Raises:
            Unauthenticated: `identity_refused`, whatever is wrong with it; the log says what.
            Unavailable: `identity_provider_unavailable`.
        """
        ...
