"""What happened is told to whoever asked for it: rows of the audit trail become messages, each once.

A row that cannot be read, or made a message of, is passed over: the log and the operators are told of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import structlog

from governor.checkpoint import checkpoint
from governor.domain.audit import Sealed
from governor.domain.endpoints import Endpoint
from governor.domain.messages import Message, told_by
from governor.logging import what_broke
from governor.ports.messages import Outgoing
from governor.ports.world import IdFactory

log = structlog.get_logger("governor")

_Wanted = tuple[Message, Sequence[Endpoint]]


@dataclass(frozen=True)
class TellEndpoints:
    """The step from the trail to deliveries. Safe to run in any number of processes."""

    outgoing: Outgoing
    ids: IdFactory

    def __call__(self) -> int:
        """Tell every environment's endpoints what they were not told yet, some at a time; returns how many rows.

        Raises:
            Unavailable: the database is away; what was not told is told later.
        """
        return sum(map(self._tell, self.outgoing.untold()))

    def _tell(self, environment: str) -> int:
        with self.outgoing.trail(environment) as trail:
            if trail is None or not trail.rows:
                return 0
            messages: list[_Wanted] = []
            for untold in trail.rows:
                try:
                    # All of the row, or nothing: what is passed over is told in part to nobody.
                    messages += list(self._wanted(untold.read(), trail.endpoints))
                except Exception as error:  # noqa: BLE001  whatever one row is, all behind it are told
                    named = {"environment": environment, "row": untold.seq}
                    log.error("trail.row_passed_over", **named, **what_broke(error))  # noqa: TRY400  no text of it
                    trail.pass_over(untold.seq, type(error).__name__)
            trail.tell(messages, trail.rows[-1].seq)
            told = len(trail.rows)
        checkpoint("tell.committed")
        return told

    def _wanted(self, row: Sealed, endpoints: Sequence[Endpoint]) -> Iterator[_Wanted]:
        """The messages of one row, each with the endpoints that want it."""
        for telling in told_by(row.entry):
            wanting = [one for one in endpoints if one.wants(telling, row.at)]
            if wanting:
                named = self.ids.new("msg")
                yield Message(row.environment, named, row.seq, telling.type, telling.object, row.at), wanting
