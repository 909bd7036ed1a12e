"""The ports as actors see them: each use is a point at which the process may stop, die, or hear an error.

A transaction is one atom: nothing else happens in its environment while it holds the line. What stands before
it and what is lost behind it is played out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from random import Random

from adapters.memory.inbox import MemoryInbox
from governor.domain.environments import Environment
from governor.domain.errors import Unavailable
from governor.ports.inbox import Received, Walk
from governor.ports.provider import ProviderEvent
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork
from governor.sim.stage import Stage
from governor.sim.swarm import Swarm


class SteppedStore:
    """`governor.ports.store.UnitOfWork` over the store of a world."""

    def __init__(self, store: UnitOfWork, stage: Stage, swarm: Swarm, random: Random) -> None:
        self.faults = swarm
        self._store = store
        self._stage = stage
        self._random = random

    @contextmanager
    def environment(self, name: str) -> Iterator[Transaction]:
        """A writing transaction, which may be lost before its commit, or acknowledged to nobody after it."""
        self._stage.stop("transaction")
        with self._store.environment(name) as transaction:
            yield transaction
            if self._random.random() < self.faults.commit_lost:
                raise Unavailable("decision_not_recorded", "The connection broke before the commit.")
        if self._random.random() < self.faults.commit_in_doubt:
            raise Unavailable("decision_not_recorded", "The connection broke after the commit.")

    @contextmanager
    def reading(self) -> Iterator[Reads]:
        """Reads without a transaction around them."""
        self._stage.stop("read")
        with self._store.reading() as reads:
            yield reads

    def now(self) -> datetime:
        """Database time (UTC)."""
        return self._store.now()

    def note_use(self, environment: str, credential_id: str) -> None:
        """A credential's key has opened something in this minute."""
        self._store.note_use(environment, credential_id)

    def add_environment(self, environment: Environment) -> bool:
        """Found an environment; False when its name is taken."""
        self._stage.stop("found environment")
        return self._store.add_environment(environment)

    def mark_in_flight(self, environment: str, key: str, seconds: int) -> bool:
        """Say that this key's first request is being worked on; False when somebody else said so."""
        self._stage.stop("mark key")
        return self._store.mark_in_flight(environment, key, seconds)

    def clear_in_flight(self, environment: str, key: str) -> None:
        """The key is free again, or names a request now."""
        self._stage.stop("clear key")
        self._store.clear_in_flight(environment, key)


class SteppedInbox:
    """`governor.ports.inbox.EventInbox` over the memory of a world."""

    def __init__(self, inbox: MemoryInbox, stage: Stage) -> None:
        self._inbox = inbox
        self._stage = stage

    def keep(self, environment: str, received: Sequence[Received]) -> int:
        """Store what is new."""
        self._stage.stop("keep events")
        return self._inbox.keep(environment, received)

    def digest_of(self, environment: str, event_id: str) -> str | None:
        """The digest under which an event was kept first."""
        self._stage.stop("digest")
        return self._inbox.digest_of(environment, event_id)

    def anything_due(self, environment: str) -> str | None:
        """An event that is due to be read."""
        return self._inbox.anything_due(environment)

    def take_due(self, environment: str, *, at_most: int) -> tuple[ProviderEvent, ...]:
        """Due events, oldest first."""
        self._stage.stop("take events")
        return self._inbox.take_due(environment, at_most=at_most)

    def done(self, environment: str, ids: Sequence[str], result: str) -> None:
        """These were read."""
        self._stage.stop("events done")
        self._inbox.done(environment, ids, result)

    def unread(self, environment: str, *, tries: int) -> tuple[int, datetime | None]:
        """How many events are still unread after so many tries, and since when."""
        return self._inbox.unread(environment, tries=tries)

    def environment_of(self, event_id: str) -> str | None:
        """Where an event was received."""
        return self._inbox.environment_of(event_id)

    def walk(self, environment: str, name: str) -> Walk | None:
        """How far a list was walked."""
        return self._inbox.walk(environment, name)

    def tried(self, environment: str, name: str) -> datetime:
        """A walk begins."""
        self._stage.stop("walk begins")
        return self._inbox.tried(environment, name)

    def walked(self, environment: str, name: str, until: datetime, begun: datetime) -> None:
        """A walk came to its end."""
        self._stage.stop("walk ends")
        self._inbox.walked(environment, name, until, begun)


class SimIds:
    """`governor.ports.world.IdFactory`: numbers in the order of asking, so that a seed names everything again."""

    def __init__(self) -> None:
        self._last = 0

    def new(self, prefix: str) -> str:
        """The next id; ids sort by time."""
        self._last += 1
        return f"{prefix}_{self._last:026d}"

    def secret(self) -> str:
        """Nobody presents a key here."""
        return "0" * 43


class SimDoorbell:
    """`governor.ports.world.JobQueue`: forgets and repeats as the seed has it."""

    def __init__(self, stage: Stage, swarm: Swarm, random: Random) -> None:
        self.faults = swarm
        self.jobs: list[str] = []
        self._stage = stage
        self._random = random

    def ring(self, request_id: str) -> None:
        """Ask a worker to look at what is due in the environment of this request."""
        self._stage.stop("ring")
        if self._random.random() >= self.faults.bell_lost:
            self.jobs.append(request_id)
        if self._random.random() < self.faults.bell_doubled:
            self.jobs.append(request_id)
