"""The processes that governor consists of: which kinds there are, which of them live, and what waits while none of a kind does.

Each says of itself that it lives. One that stops says so, too; one that dies says nothing, and is missed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

EVERY = timedelta(seconds=10)
"""How often a process says that it lives."""

MISSED_AFTER = timedelta(minutes=1)
"""A process that has said nothing for so long is gone: a slow database may swallow some of its words, but not six."""

KEPT = timedelta(hours=1)
"""How long after its last word a process is remembered: long enough to be asked what became of it."""


class ProcessKind(StrEnum):
    """What a process is there for, in the order in which a refund meets them."""

    WEB = "web"
    RELAY = "relay"
    WORKER = "worker"
    CRON = "cron"
    RUNNER = "runner"
    MESSENGER = "messenger"


@dataclass(frozen=True)
class Duty:
    """What a kind of process does, and what is so while none of it lives: the end of a sentence each."""

    does: str
    without: str


DUTIES: Mapping[ProcessKind, Duty] = MappingProxyType(
    {
        ProcessKind.WEB: Duty("decides and answers", "nobody can ask for a refund"),
        ProcessKind.RELAY: Duty("rings workers for what was decided", "refunds leave up to 15 seconds later"),
        ProcessKind.WORKER: Duty(
            "sends refunds and reads what the provider tells", "nothing is sent, and no event is read"
        ),
        ProcessKind.CRON: Duty(
            "does what is due by time alone",
            "lost calls are not noticed and the provider's lists are not walked",
        ),
        ProcessKind.RUNNER: Duty("carries out long work", "long work waits"),
        ProcessKind.MESSENGER: Duty("tells endpoints what happened", "endpoints hear nothing"),
    }
)


@dataclass(frozen=True)
class Process:
    """One process. `id` is `proc_…`; `host` and `pid` are where it runs, `version` is governor's there."""

    id: str
    kind: ProcessKind
    host: str
    pid: int
    version: str


@dataclass(frozen=True)
class SeenProcess:
    """A process, since when it runs, and when it last said that it lives (UTC)."""

    process: Process
    started_at: datetime
    seen_at: datetime


@dataclass(frozen=True)
class Attendance:
    """Of one kind: those that live, and those that went without a word; each most recently seen first.

    `is_needed` is false where there is nothing for the kind to do.
    """

    kind: ProcessKind
    living: tuple[SeenProcess, ...]
    gone: tuple[SeenProcess, ...]
    is_needed: bool = True

    @property
    def is_missing(self) -> bool:
        """Whether something waits because none of them lives."""
        return self.is_needed and not self.living

    @property
    def seen_at(self) -> datetime | None:
        """When one was last seen (UTC); None when none was of late."""
        return max((one.seen_at for one in (*self.living, *self.gone)), default=None)


def attendance(
    seen: Iterable[SeenProcess], now: datetime, *, idle: Collection[ProcessKind] = ()
) -> tuple[Attendance, ...]:
    """Of every kind who lives at `now`; the `idle` ones would have nothing to do."""
    newest = sorted(seen, key=lambda one: (one.seen_at, one.process.id), reverse=True)
    return tuple(
        Attendance(
            kind,
            tuple(one for one in newest if one.process.kind is kind and _lives(one, now)),
            tuple(one for one in newest if one.process.kind is kind and not _lives(one, now)),
            is_needed=kind not in idle,
        )
        for kind in ProcessKind
    )


def _lives(one: SeenProcess, now: datetime) -> bool:
    return now - one.seen_at < MISSED_AFTER
