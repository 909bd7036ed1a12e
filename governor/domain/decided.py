"""What people decided, for those who look at how they decide: by whom, when, and how long it could be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.approval import APPROVING, Choice

TOO_QUICK = timedelta(seconds=3)
"""Whoever approves sooner than this has not read what they approve (CONSOLE §2, "Auditor")."""


@dataclass(frozen=True)
class Decided:
    """One person's decision on one hold. Times in UTC.

    `amount_minor` is what was approved, or else what it was about when it was decided. `stood_at`: since when what was decided on could be
    seen, which is when it was asked for or last changed. `before`: when the same person decided something else before.
    When the page was opened is not kept.
    """

    request: str
    asker: str
    approver: str
    choice: Choice
    amount_minor: int
    currency: str
    stood_at: datetime
    decided_at: datetime
    before: datetime | None

    @property
    def looked(self) -> timedelta:
        """The longest that they can have looked at it: it was there no longer, and they were busy with another before."""
        begun = self.stood_at if self.before is None else max(self.stood_at, self.before)
        return self.decided_at - begun

    @property
    def approves(self) -> bool:
        """Whether it says yes, to all or to less."""
        return self.choice in APPROVING
