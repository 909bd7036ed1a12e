"""The plan of a storm: which blow falls when, drawn from the seed alone, so that a seed names a storm.

What the processes make of it is not the seed's to say: they are real, and so are their races.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from adapters.sandbox.faults import KINDS, REFUSE_CONNECTION

REFUNDS = "/v1/refunds"
WEBS = ("web-1", "web-2")
WORKERS = ("worker-1", "worker-2")
PROGRAMS = (*WEBS, *WORKERS, "relay", "cron")
PROVIDER = "twin"

LEASE_SECONDS = 60.0
"""Who sleeps longer than a lease wakes up to find the work taken over."""

_WRITES_ONLY = frozenset({"other_amount", "other_currency", "overrun"})
"""A read is the provider's last word on a refund. One that lies about the money leaves nobody to ask."""


class Blow(StrEnum):
    """What can be done to a running system from outside."""

    PROVIDER_FAULT = "provider_fault"
    KILL = "kill"
    STOP = "stop"
    PAUSE = "pause"
    CLOCK = "clock"
    RING = "ring"
    FORGET_QUEUE = "forget_queue"
    KILL_QUEUE = "kill_queue"
    KILL_DATABASE = "kill_database"
    KILL_SESSION = "kill_session"
    DELIVERIES = "deliveries"


@dataclass(frozen=True)
class Strike:
    """One blow. `at` in seconds from the start; `seconds`: how long what was hit stays down, silent or slow.

    `target` is a process, a kind of fault, or a mode of deliveries; `how` refines it: which of a program's processes
    are killed, which calls a fault is meant for (method and path), or how many seconds the clock jumps.
    """

    at: float
    blow: Blow
    target: str = ""
    how: str = ""
    seconds: float = 0.0
    times: int = 1


Draw = Callable[[Random, float], Iterator[Strike]]


def plan(seed: int, seconds: float) -> tuple[Strike, ...]:
    """All strikes of a storm of that length, by time.

    Each kind of blow has its own source of chance, so that a change of one leaves the others as they were.
    """
    drawn: list[Strike] = []
    for name, every, draw in _NEMESES:
        chance = Random(f"{seed}/{name}")  # noqa: S311  a plan that can be drawn again, not a secret
        # Even the shortest storm meets each kind; after that it comes about every so many seconds.
        at = chance.uniform(0.05, min(every, 0.6 * seconds))
        strikes = draw(chance, seconds)
        while at < seconds:
            strike = next(strikes)
            drawn.append(replace(strike, at=at))
            at += chance.uniform(0.5, 1.5) * every
    return tuple(sorted(drawn, key=lambda strike: (strike.at, strike.blow, strike.target)))


def _faults(chance: Random, _seconds: float) -> Iterator[Strike]:
    """Every kind once before any comes again."""
    while True:
        for kind in chance.sample(KINDS, len(KINDS)):
            meant_for = "" if kind == REFUSE_CONNECTION else f"POST {REFUNDS}"
            if meant_for and kind not in _WRITES_ONLY and chance.random() < 0.2:
                meant_for = "GET /v1/"
            slow = kind == REFUSE_CONNECTION or kind.startswith("delay")
            seconds = chance.uniform(0.1, 2.0) if slow else 0.0
            times = 1 if kind == REFUSE_CONNECTION else chance.randint(1, 3)
            yield Strike(0.0, Blow.PROVIDER_FAULT, kind, meant_for, seconds, times)


def _kills(chance: Random, _seconds: float) -> Iterator[Strike]:
    """`all` of a program's processes, its `first` one alone, or one of those it has forked."""
    while True:
        for name in chance.sample(PROGRAMS, len(PROGRAMS)):
            yield Strike(0.0, Blow.KILL, name, chance.choice(("all", "all", "first", "forked")))


def _pauses(chance: Random, seconds: float) -> Iterator[Strike]:
    """Mostly for a moment; in a long storm one in eight outlasts a lease."""
    while True:
        for name in chance.sample((*PROGRAMS, PROVIDER), len(PROGRAMS) + 1):
            asleep = chance.uniform(0.2, 4.0)
            if name in WORKERS and seconds > 4 * LEASE_SECONDS and chance.random() < 0.5:
                asleep = LEASE_SECONDS + chance.uniform(1.0, 5.0)
            yield Strike(0.0, Blow.PAUSE, name, "", asleep)


def _stops(chance: Random, _seconds: float) -> Iterator[Strike]:
    """SIGTERM under load, as a deploy does it."""
    while True:
        for name in chance.sample(PROGRAMS, len(PROGRAMS)):
            yield Strike(0.0, Blow.STOP, name)


def _jumps(chance: Random, _seconds: float) -> Iterator[Strike]:
    """Forwards and back again, or backwards and forth again."""
    while True:
        for sign in (1, -1):
            jump = sign * chance.choice((5, 70, 3600))
            yield Strike(0.0, Blow.CLOCK, how=str(jump), seconds=chance.uniform(0.5, 3.0))


def _rings(chance: Random, _seconds: float) -> Iterator[Strike]:
    while True:
        yield Strike(0.0, Blow.RING, times=chance.randint(1, 5))


def _one(blow: Blow, longest_seconds: float = 0.0) -> Draw:
    def draw(chance: Random, _seconds: float) -> Iterator[Strike]:
        while True:
            yield Strike(0.0, blow, seconds=chance.uniform(0.0, longest_seconds))

    return draw


def _deliveries(chance: Random, _seconds: float) -> Iterator[Strike]:
    while True:
        for mode in chance.sample(("withhold", "duplicate", "reorder", "normal"), 4):
            yield Strike(0.0, Blow.DELIVERIES, mode)


_NEMESES: tuple[tuple[str, float, Draw], ...] = (
    ("faults", 0.5, _faults),
    ("kills", 3.0, _kills),
    ("stops", 10.0, _stops),
    ("pauses", 5.0, _pauses),
    ("jumps", 12.0, _jumps),
    ("rings", 4.0, _rings),
    ("flushes", 8.0, _one(Blow.FORGET_QUEUE)),
    ("queue", 25.0, _one(Blow.KILL_QUEUE, 3.0)),
    ("database", 30.0, _one(Blow.KILL_DATABASE, 2.0)),
    ("sessions", 12.0, _one(Blow.KILL_SESSION)),
    ("deliveries", 6.0, _deliveries),
)
"""Name of the source of chance, mean seconds between two blows, and how one is drawn."""
