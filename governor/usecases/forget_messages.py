"""What endpoints were told is forgotten when it is old. What happened stays: the audit trail has it for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.ports.messages import EndpointStore, Outgoing


@dataclass(frozen=True)
class ForgetMessages:
    """Remove messages, with what became of them, that are older than `kept`. Safe to run in any number of processes."""

    store: EndpointStore
    outgoing: Outgoing
    kept: timedelta

    def __call__(self) -> int:
        """Some at a time; returns how many messages. One that is still on its way stays.

        Raises:
            Unavailable: the database is away.
        """
        return self.outgoing.forget(self.store.now() - self.kept)
