"""Looking at which processes live, and what waits because one is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from governor.domain.processes import Attendance, ProcessKind, attendance
from governor.ports.messages import EndpointStore
from governor.ports.processes import Processes

LOOKED_AT: Final = 500
"""Of more processes the ones seen last are looked at."""


@dataclass(frozen=True)
class SeeProcesses:
    """Every kind of process with those that live. Processes work for all environments; endpoints are of one."""

    processes: Processes
    endpoints: EndpointStore

    def __call__(self, environments: Iterable[str]) -> tuple[Attendance, ...]:
        """Who lives, as far as it matters to these environments: without endpoints nobody waits for a messenger.

        Raises:
            Unavailable: the database cannot be read.
        """
        with self.endpoints.reading() as reads:
            told = any(map(reads.has_endpoints, environments))
        seen = self.processes.seen(at_most=LOOKED_AT)
        return attendance(seen, self.processes.now(), idle=() if told else (ProcessKind.MESSENGER,))
