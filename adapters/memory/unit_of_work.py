"""Transactions in memory, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.memory.reads import MemoryReads
from adapters.memory.tables import EnvironmentRow, Tables
from adapters.memory.transaction import MemoryTransaction
from governor.domain.audit import GENESIS
from governor.domain.environments import Environment
from governor.domain.errors import require


class MemoryUnitOfWork:
    """`governor.ports.store.UnitOfWork` for one thread. `clock` is the time of this store (UTC)."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.tables = Tables()
        self.open = False
        """Whether a transaction is under way: nobody may wait for anything then."""
        self._clock = clock

    @contextmanager
    def environment(self, name: str) -> Iterator[MemoryTransaction]:
        """A writing transaction; commits on leaving without an exception.

        Raises:
            InvariantBroken: `constraint_violated`, or `transaction_in_transaction`.
        """
        require(not self.open, "transaction_in_transaction")
        self.open = True
        try:
            transaction = MemoryTransaction(self.tables, name, self._clock)
            yield transaction
            transaction.flush()
            self.tables.commit()
        finally:
            self.tables.roll_back()
            self.open = False

    @contextmanager
    def reading(self) -> Iterator[MemoryReads]:
        """Reads without a transaction around them."""
        yield MemoryReads(self.tables, self._clock)

    def now(self) -> datetime:
        """This store's time (UTC)."""
        return self._clock()

    def note_use(self, environment: str, credential_id: str) -> None:
        """A credential's key has opened something in this minute."""
        credential, hashes = self.tables.credentials[credential_id]
        if credential.environment == environment:
            used = replace(credential, last_used_at=self._clock().replace(second=0, microsecond=0))
            self.tables.credentials.put(credential_id, (used, hashes))
            self.tables.commit()

    def add_environment(self, environment: Environment) -> bool:
        """Found an environment; False when its name is taken."""
        if environment.name in self.tables.environments:
            return False
        at = environment.created_at
        row = EnvironmentRow(environment, 0.0, at, 0, GENESIS, at)
        self.tables.environments.put(environment.name, row)
        self.tables.commit()
        return True

    def mark_in_flight(self, environment: str, key: str, seconds: int) -> bool:
        """Say that this key's first request is being worked on; False when somebody else said so."""
        until = self.tables.in_flight.get((environment, key))
        if until is not None and until >= self._clock():
            return False
        self.tables.in_flight.put((environment, key), self._clock() + timedelta(seconds=seconds))
        self.tables.commit()
        return True

    def clear_in_flight(self, environment: str, key: str) -> None:
        """The key is free again, or names a request now."""
        self.tables.in_flight.drop((environment, key))
        self.tables.commit()
