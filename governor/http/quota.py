"""How often one key may call: a bucket for each, so that nobody's endless loop takes everybody's turn.

It is this process's own, in memory: it needs no other server to say yes or no, and protects this process's threads.
What may be refunded is no matter of it; that is decided by limits, in the database, and is never a 429.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

WINDOW_SECONDS = 60
MOST_REMEMBERED = 10_000
"""Keys. Beyond that the full buckets are forgotten: a new one is full, too."""


@dataclass(frozen=True)
class Standing:
    """One key's bucket after a call. `wait_seconds` is 0 for a call that may be made."""

    per_minute: int
    remaining: int
    full_in_seconds: int
    wait_seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """As draft-ietf-httpapi-ratelimit-headers-11 says it."""
        return {
            "RateLimit-Policy": f'"key";q={self.per_minute};w={WINDOW_SECONDS}',
            "RateLimit": f'"key";r={self.remaining};t={self.full_in_seconds}',
        }


@dataclass
class Quota:
    """`per_minute` calls of each key, all of them at once if it likes. `monotonic` in seconds. Safe among threads."""

    per_minute: int
    monotonic: Callable[[], float]
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, key: str) -> Standing:
        """Count a call of this key; one that is refused is not counted."""
        with self._lock:
            now = self.monotonic()
            if len(self._buckets) >= MOST_REMEMBERED:
                self._forget_full(now)
            tokens = self._filled(key, now)
            left = tokens - 1 if tokens >= 1 else tokens
            self._buckets[key] = left, now
        per_second = self.per_minute / WINDOW_SECONDS
        wait = 0 if tokens >= 1 else max(1, math.ceil((1 - tokens) / per_second))
        return Standing(self.per_minute, int(left), math.ceil((self.per_minute - left) / per_second), wait)

    def _filled(self, key: str, now: float) -> float:
        tokens, at = self._buckets.get(key, (float(self.per_minute), now))
        return min(float(self.per_minute), tokens + (now - at) * self.per_minute / WINDOW_SECONDS)

    def _forget_full(self, now: float) -> None:
        self._buckets = {
            key: bucket for key, bucket in self._buckets.items() if self._filled(key, now) < self.per_minute
        }
