"""The provider's events as they wait to be read, and how far its own lists were walked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self

from governor.domain.canonical import canonical_json
from governor.ports.provider import ProviderEvent


@dataclass(frozen=True)
class Received:
    """An event on its way into the inbox. `body` is the raw body of a webhook, None when the event was polled.

    `digest` is the SHA-256, in hex, of what the event says: the same however it came and however often.
    """

    event: ProviderEvent
    digest: str
    body: bytes | None

    @classmethod
    def of(cls, event: ProviderEvent, body: bytes | None = None) -> Self:
        """The event with the digest of what it says. Its body would not do: it counts its own deliveries."""
        told = {**vars(event), "happened_at": event.happened_at.isoformat()}
        return cls(event, hashlib.sha256(canonical_json(told)).hexdigest(), body)


@dataclass(frozen=True)
class Walk:
    """How far a list of the provider was walked: nothing that happened before `until` was missed.

    `tried_at` is when a walk last began, `walked_at` when the last one began that came to its end (None: none
    did, and so is `until`).
    """

    until: datetime | None
    walked_at: datetime | None
    tried_at: datetime


class EventInbox(Protocol):
    """Events are kept under their own ids: one that comes twice is kept once.

    Nothing here takes the environment's line: storing an event must not wait for decisions.
    Every method raises Unavailable when the database cannot be reached or the commit is in doubt.
    """

    def keep(self, environment: str, received: Sequence[Received]) -> int:
        """Store what is new, due now; returns how many were new. Durable when this returns."""
        ...

    def digest_of(self, environment: str, event_id: str) -> str | None:
        """The digest under which an event was kept first; None when none was."""
        ...

    def anything_due(self, environment: str) -> str | None:
        """The id of an event that is due to be read, if there is one."""
        ...

    def take_due(self, environment: str, *, at_most: int) -> tuple[ProviderEvent, ...]:
        """Due events, oldest first, which nobody else gets for a minute; one that is not done comes due again.

        Each time later, after an hour at most, and for ever: nothing is given up in silence.
        """
        ...

    def done(self, environment: str, ids: Sequence[str], result: str) -> None:
        """These were read: `result` is a short stable word. Their bodies are dropped."""
        ...

    def environment_of(self, event_id: str) -> str | None:
        """Where an event was received; the way in for a job, which carries only an id.

        Two environments of one account both receive it: the one where it has been due for longer comes first.
        """
        ...

    def unread(self, environment: str, *, tries: int) -> tuple[int, datetime | None]:
        """How many events are still unread after so many tries, and since when (UTC) the oldest is here."""
        ...

    def walk(self, environment: str, name: str) -> Walk | None:
        """How far the list `events` or `refunds` was walked; None before the first time."""
        ...

    def tried(self, environment: str, name: str) -> datetime:
        """A walk of this list begins; returns when, by the database's clock."""
        ...

    def walked(self, environment: str, name: str, until: datetime, begun: datetime) -> None:
        """The walk that began at `begun` has come to the list's end, up to `until`; never moves back."""
        ...
