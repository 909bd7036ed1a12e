"""A run while it is carried out: it keeps its lease, says how far it is, and hears when it must be left."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from threading import Event, Thread
from typing import Protocol

from governor.domain.errors import Invalid, Unavailable
from governor.domain.runs import MOST_STORED, Progress, Run, RunFile
from governor.ports.runs import Runs

BEAT_SECONDS = 1.0
"""Between two beats: how late a wish to cancel is heard, and how old the progress is that people see."""

LONGEST_SECONDS = 3600.0
"""How long a run may take: whatever hangs for longer does not keep others waiting for ever."""

PART_BYTES = 1024**2
"""How much of a file is kept at a time."""

NDJSON = "application/x-ndjson"
"""The media type of a file with a JSON value a line."""


class Why(Enum):
    """Why a run is left in the middle."""

    CANCELED = auto()
    STOPPING = auto()
    LOST = auto()
    TOO_LONG = auto()


class LeftError(Exception):
    """Raised in the middle of the work of a run that must be left."""

    def __init__(self, why: Why) -> None:
        super().__init__(why.name)
        self.why = why


class Carried(Protocol):
    """What the work of a run is given to say how it goes. Each call may end it."""

    def at(self, step: str, done: int = 0, total: int | None = None) -> None:
        """It is at this step, of which so much is done, of so much if that is known.

        Raises:
            LeftError: it must not go on.
        """
        ...

    def write(self, name: str, media_type: str, content: Iterable[bytes]) -> None:
        """Make a file; its content is kept as it comes.

        Raises:
            LeftError: it must not go on. Invalid: `result_too_large`.
        """
        ...


class Carrying:
    """`Carried`, with a thread that beats. `stopping` says whether the process is about to end."""

    def __init__(
        self, runs: Runs, run: Run, monotonic: Callable[[], float], stopping: Callable[[], bool]
    ) -> None:
        self._runs, self._run = runs, run
        self._monotonic, self._began = monotonic, monotonic()
        self._stopping = stopping
        self._over = Event()
        self._why: Why | None = None
        self._stored = 0
        self.progress = Progress()
        self.files: tuple[RunFile, ...] = ()

    @contextmanager
    def kept(self) -> Iterator[Carried]:
        """The lease is kept for as long as the block lasts."""
        beats = Thread(target=self._beats, name="beats", daemon=True)
        beats.start()
        try:
            yield self
        finally:
            self._over.set()
            beats.join()

    def at(self, step: str, done: int = 0, total: int | None = None) -> None:
        """It is at this step."""
        self.progress = Progress(step, done, total)
        self._go_on()

    def write(self, name: str, media_type: str, content: Iterable[bytes]) -> None:
        """Make a file."""
        sha, size, number, waiting = hashlib.sha256(), 0, 0, bytearray()
        for piece in content:
            sha.update(piece)
            size += len(piece)
            waiting += piece
            while len(waiting) >= PART_BYTES:
                self._keep(name, number, bytes(waiting[:PART_BYTES]))
                number += 1
                del waiting[:PART_BYTES]
        if waiting:
            self._keep(name, number, bytes(waiting))
        self.files += (RunFile(name, media_type, size, sha.hexdigest()),)

    def _keep(self, name: str, number: int, content: bytes) -> None:
        self._go_on()
        stored = self._runs.add_part(self._run, name, number, content)
        if stored is None:
            raise LeftError(Why.LOST)
        self._stored += stored
        if self._stored > MOST_STORED:
            most = MOST_STORED // 1024**2
            raise Invalid("result_too_large", f"The files of a run take {most} MiB at most: ask for less.")

    def _go_on(self) -> None:
        if self._stopping():
            raise LeftError(Why.STOPPING)
        if self._why is not None:
            raise LeftError(self._why)

    def _beats(self) -> None:
        """Until the work is over, or must be left. A beat that fails comes again; without any the lease ends."""
        while self._why is None and not self._over.wait(BEAT_SECONDS):
            if self._monotonic() - self._began > LONGEST_SECONDS:
                self._why = Why.TOO_LONG
                return
            try:
                standing = self._runs.beat(self._run, self.progress)
            except Unavailable:
                continue
            if standing is None:
                self._why = Why.LOST
            elif standing.cancel_requested_at is not None:
                self._why = Why.CANCELED
