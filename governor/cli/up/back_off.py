"""How long to wait before something that died is started again."""

import time
from typing import Final

# What lives this long has recovered: its next death is answered at once again.
SETTLED_SECONDS: Final = 10.0
FIRST_WAIT_SECONDS: Final = 0.1
LONGEST_WAIT_SECONDS: Final = 5.0


class BackOff:
    """Doubling waits between early deaths, up to a bound; by the monotonic clock."""

    def __init__(self) -> None:
        self._next_wait = FIRST_WAIT_SECONDS
        self._started = 0.0
        self._due: float | None = None

    def has_started(self) -> None:
        """Notes a start."""
        self._started = time.monotonic()
        self._due = None

    def has_died(self) -> float | None:
        """Plans the next start when a death is first seen; returns the wait in seconds, or None if it was planned."""
        if self._due is not None:
            return None
        now = time.monotonic()
        if now - self._started > SETTLED_SECONDS:
            self._next_wait = FIRST_WAIT_SECONDS
        wait = self._next_wait
        self._due = now + wait
        self._next_wait = min(wait * 2, LONGEST_WAIT_SECONDS)
        return wait

    @property
    def is_over(self) -> bool:
        """Whether the planned start is due."""
        return self._due is not None and time.monotonic() >= self._due
