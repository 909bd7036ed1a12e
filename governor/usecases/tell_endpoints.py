"""What happened is told to whoever asked for it: rows of the audit trail become messages, each once."""

from __future__ import annotations

from dataclasses import dataclass

from governor.checkpoint import checkpoint
from governor.domain.messages import Message, told_by
from governor.ports.messages import Outgoing
from governor.ports.world import IdFactory


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
            messages = []
            for row in trail.rows:
                for telling in told_by(row.entry):
                    wanting = [one for one in trail.endpoints if one.wants(telling, row.at)]
                    if wanting:
                        named = self.ids.new("msg")
                        message = Message(environment, named, row.seq, telling.type, telling.object, row.at)
                        messages.append((message, wanting))
            trail.tell(messages, trail.rows[-1].seq)
            told = len(trail.rows)
        checkpoint("tell.committed")
        return told
