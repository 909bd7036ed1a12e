"""Time in a simulated world: how it really passes, and what the database's clock shows of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 10, 20, 9, tzinfo=UTC)
"""Five days before clocks go back in Europe, eleven before they do in America, and before the end of a month."""


class SimClock:
    """Nothing passes by itself."""

    def __init__(self) -> None:
        self.passed = timedelta()
        """How much time has really passed."""
        self.wrong_by = timedelta()
        """How far the database's clock is off."""

    def now(self) -> datetime:
        """What the database's clock shows (UTC)."""
        return START + self.passed + self.wrong_by

    def true_now(self) -> datetime:
        """What time it really is (UTC): the provider's clock is right."""
        return START + self.passed

    def monotonic(self) -> float:
        """Seconds on a clock that nobody can set."""
        return self.passed.total_seconds()
