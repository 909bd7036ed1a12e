"""Naming and ending stand-ins. Which of them count now is asked wherever somebody decides (governor.ports.reads)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from governor.domain.stand_ins import StandIn
from governor.ports.reads import Reads
from governor.ports.store import Transaction


class StandInReads(Reads, Protocol):
    """Reading, with the stand-ins that count no more or not yet."""

    def newest_stand_ins(self, environment: str, *, at_most: int) -> tuple[StandIn, ...]:
        """Those that were named last, newest first, whether or not they count."""
        ...

    def stand_ins_from(self, environment: str, now: datetime) -> tuple[StandIn, ...]:
        """Those that count at `now` or will."""
        ...

    def stand_in(self, environment: str, stand_in_id: str) -> StandIn | None:
        """One of them."""
        ...


class StandInTransaction(StandInReads, Transaction, Protocol):
    """A writing transaction of one environment in which stand-ins are named and ended."""

    def add_stand_in(self, new: StandIn, credential: str) -> None:
        """One more, and the credential that named it."""
        ...

    def end_stand_in(self, ended: StandIn) -> None:
        """Write when it was ended, and by whom."""
        ...


class StandInStore(Protocol):
    """The store, with what knows stand-ins."""

    def environment(self, name: str) -> AbstractContextManager[StandInTransaction]:
        """As `UnitOfWork.environment`."""
        ...

    def reading(self) -> AbstractContextManager[StandInReads]:
        """As `UnitOfWork.reading`."""
        ...
