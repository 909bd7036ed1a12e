"""Looking at what waits to be sent: how much, for what, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from governor.ports.queue import Queue, Queues
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller

SHOWN: Final = 20
"""The first so many of each heap are told one by one."""
COUNTED: Final = 10_000
"""More are not counted: nobody waits for a number that is only larger."""


@dataclass(frozen=True)
class SeeQueue:
    """The operators' view, always within the caller's environment."""

    store: UnitOfWork
    queues: Queues

    def __call__(self, caller: Caller) -> Queue:
        """The queue as it stands.

        Raises:
            Unavailable: the database cannot be read.
        """
        return self.queues.queue(caller.environment, self.store.now(), shown=SHOWN, counted=COUNTED)
