"""What the clients of a storm were told, to be held against the books afterwards."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Intent:
    """A refund that somebody wants, under its operation key."""

    key: str
    sent: Mapping[str, Any]


@dataclass(frozen=True)
class Decision:
    """An answer 200, 202 or 403: this is decided, and recorded."""

    key: str
    id: str
    payment: str
    amount: int
    currency: str
    denial: str | None


@dataclass(frozen=True)
class Vote:
    """An answer 200 to an approver."""

    hold: str
    person: str
    choice: str


@dataclass
class Told:
    """Everything that was acknowledged. Clients share it between their threads."""

    decisions: list[Decision] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)
    cancellations: list[str] = field(default_factory=list)
    """Requests whose cancellation, or the wish for it, was acknowledged."""
    limits: list[tuple[str, int]] = field(default_factory=list)
    """Limit and the revision that was acknowledged."""
    recent: deque[Intent] = field(default_factory=lambda: deque(maxlen=64))
    answers: Counter[str] = field(default_factory=Counter)
    """Status and code of every answer; `none` where none came in time."""
    marks: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    """Answers that no storm excuses."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wanted(self, intent: Intent) -> None:
        """Somebody asks for this now; others may ask for it again."""
        with self._lock:
            self.recent.append(intent)

    def wanted_lately(self) -> tuple[Intent, ...]:
        """What was asked for lately, decided or not."""
        with self._lock:
            return tuple(self.recent)

    def mark(self, name: str) -> None:
        """A situation was met."""
        with self._lock:
            self.marks[name] += 1

    def answered(self, name: str) -> None:
        """Count an answer."""
        with self._lock:
            self.answers[name] += 1
