"""A webhook is believed, stored, and only then answered; what it says is looked up later (DESIGN §7).

The provider repeats a webhook until it is answered with 2xx. So nothing is answered that is not stored, and what is
answered without being stored is what we never want: live events, other accounts, events that bear on no refund.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from governor.checkpoint import checkpoint
from governor.domain.errors import NotFound
from governor.ports.inbox import EventInbox, Received
from governor.ports.provider import EVENT_TYPES, ProviderEvent, WebhookReader
from governor.ports.store import UnitOfWork
from governor.usecases.change_environment import existing


class Taken(StrEnum):
    """What became of a webhook that was believed. CONTRADICTS: the first delivery of this id said other things."""

    KEPT = "kept"
    KNOWN = "known"
    CONTRADICTS = "contradicts"
    LIVE_MODE = "live_mode"
    ANOTHER_ACCOUNT = "another_account"
    NOT_ABOUT_REFUNDS = "not_about_refunds"


@dataclass(frozen=True)
class RecordProviderEvent:
    """Take a webhook in. `secrets` are an environment's; `real_time` is the database's time, never moved."""

    store: UnitOfWork
    inbox: EventInbox
    reader: WebhookReader
    secrets: Callable[[str], Sequence[str]]
    real_time: Callable[[], datetime]

    def __call__(self, environment: str, body: bytes, signature: str | None) -> tuple[ProviderEvent, Taken]:
        """The event and what became of it; when it is KEPT or KNOWN it will be read, whatever happens next.

        Raises:
            NotFound: `environment_not_found`, also when it takes no webhooks. Malformed: `webhook_signature`,
                `webhook_unreadable`. Unavailable: it could not be stored, and must come again.
        """
        secrets = self.secrets(environment)
        if not secrets:
            raise NotFound("environment_not_found", "No webhooks are taken here.")
        event = self.reader.read(body, signature, secrets, self.real_time())
        with self.store.reading() as reads:
            here = existing(reads.environment_named(environment))
        if event.livemode:
            return event, Taken.LIVE_MODE
        if event.account not in {None, here.account}:
            return event, Taken.ANOTHER_ACCOUNT
        if event.type not in EVENT_TYPES:
            return event, Taken.NOT_ABOUT_REFUNDS
        checkpoint("hook.verified")
        taken = self._keep(environment, Received.of(event, body))
        checkpoint("hook.stored")
        return event, taken

    def _keep(self, environment: str, received: Received) -> Taken:
        if self.inbox.keep(environment, [received]):
            return Taken.KEPT
        same = self.inbox.digest_of(environment, received.event.id) == received.digest
        return Taken.KNOWN if same else Taken.CONTRADICTS
