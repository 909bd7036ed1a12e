"""Which processes say that they live, as the core needs it. It is in the database, which outlives the queue."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from governor.domain.processes import Process, SeenProcess


class Processes(Protocol):
    """What processes have said of themselves. Of no environment: every process works for all of them.

    Raises:
        Unavailable: from every method when the database cannot be reached.
    """

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        ...

    def beat(self, process: Process, running: timedelta) -> None:
        """It lives, and has been running for so long. A word that is lost comes again, so it waits for no standby."""
        ...

    def leave(self, process_id: str) -> None:
        """It stops, and is not to be missed."""
        ...

    def forget(self, before: datetime) -> None:
        """Of processes that were last seen before then nothing is kept."""
        ...

    def seen(self, *, at_most: int) -> tuple[SeenProcess, ...]:
        """Those that have said that they live, the one seen last first."""
        ...
