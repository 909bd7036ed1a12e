"""Looking at how the provider does, without asking it: by what it answered, what it told, and how far it was walked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from governor.domain.environments import Environment
from governor.domain.provider_health import ProviderHealth, Unread, WalkSeen, is_late
from governor.ports.figures import Figures
from governor.usecases.catch_up import CatchUp
from governor.usecases.change_environment import existing

TRIES: Final = 5
"""An event that was not read after so many tries, half an hour, is not only waiting for its turn."""
CALLS_OF: Final = timedelta(days=1)
MOST_CALLS: Final = 1000
"""The newest calls tell how it is now; older ones how it was."""


@dataclass(frozen=True)
class SeeProvider:
    """By the books of one environment. `catch_up` is who walks the provider's lists, and how often."""

    figures: Figures
    catch_up: CatchUp

    def __call__(self, environment: str) -> ProviderHealth:
        """Everything that is known.

        Raises:
            NotFound: no such environment. Unavailable: the database cannot be read.
        """
        now = self.catch_up.store.now()
        with self.catch_up.store.reading() as reads:
            here = existing(reads.environment_named(environment))
        return ProviderHealth(
            self.figures.calls(environment, now - CALLS_OF, at_most=MOST_CALLS),
            self.walks(here, now),
            self.unread(environment),
            self.figures.webhook_at(environment),
            now,
        )

    def walks(self, here: Environment, now: datetime) -> tuple[WalkSeen, ...]:
        """How far each of the provider's lists was walked."""
        return tuple(self._walks(here, now))

    def unread(self, environment: str) -> Unread:
        """What stays in the inbox."""
        return Unread(*self.catch_up.inbox.unread(environment, tries=TRIES))

    def _walks(self, here: Environment, now: datetime) -> Iterator[WalkSeen]:
        every = {"events": self.catch_up.events_every, "refunds": self.catch_up.refunds_every}
        for name, interval in every.items():
            walk = self.catch_up.inbox.walk(here.name, name)
            last = None if walk is None else walk.walked_at
            yield WalkSeen(name, last, is_late(now, last or here.created_at, interval))
