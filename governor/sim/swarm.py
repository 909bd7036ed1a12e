"""Which faults a seed knows, and how likely they are: every seed is another bad day, and some are good ones."""

from __future__ import annotations

from dataclasses import dataclass, fields
from random import Random

CALM = 0.12
"""The share of seeds without any fault."""
ABSENT = 0.4
"""The share of faults that a seed does not know at all: a rare fault shows itself best when others keep quiet."""


@dataclass(frozen=True)
class Swarm:
    """The likelihood of each fault, whenever it could happen."""

    call_lost: float = 0.0
    call_late: float = 0.0
    """It arrives when nobody waits for its reply any more."""
    reply_lost: float = 0.0
    rate_limited: float = 0.0
    refused: float = 0.0
    """Refused before the provider looks at the key, so that a later call with it may well be executed."""
    saved_500: float = 0.0
    unauthorized: float = 0.0
    unreadable: float = 0.0
    """The provider cannot be read."""
    commit_lost: float = 0.0
    commit_in_doubt: float = 0.0
    """Committed, and the client hears an error."""
    crash: float = 0.0
    pause: float = 0.0
    """A process stands still in the middle of something, while time goes by for everybody else."""
    webhook_lost: float = 0.0
    bell_lost: float = 0.0
    bell_doubled: float = 0.0
    clock_wrong: float = 0.0

    @property
    def calm(self) -> bool:
        """Whether nothing can go wrong."""
        return not any(vars(self).values())


MOST = {
    "crash": 0.15,
    "pause": 0.3,
    "call_late": 0.8,
    "unauthorized": 0.05,
    "clock_wrong": 0.2,
    "commit_lost": 0.15,
}
"""How likely a fault can be at most, where that is not the usual."""
USUAL_MOST = 0.4


def drawn(random: Random) -> Swarm:
    """The faults of a seed."""
    if random.random() < CALM:
        return Swarm()
    return Swarm(**{field.name: _likelihood(field.name, random) for field in fields(Swarm)})


def _likelihood(fault: str, random: Random) -> float:
    if random.random() < ABSENT:
        return 0.0
    return random.random() * MOST.get(fault, USUAL_MOST)
