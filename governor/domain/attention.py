"""What approvers tell one another of a hold that waits: who looks at it, who wants it later, what is urgent.

None of it decides anything, or keeps anybody from deciding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from governor.domain.errors import invalid

LOOKING_FOR = timedelta(minutes=5)
"""How long somebody counts as looking who does not say so again: as long as reading one hold takes."""

SNOOZES: Mapping[str, timedelta] = MappingProxyType(
    {"an_hour": timedelta(hours=1), "four_hours": timedelta(hours=4), "a_day": timedelta(days=1)}
)
"""For how long an approver may snooze a hold."""


@dataclass(frozen=True)
class Looker:
    """Somebody who has said that they are looking at a hold, and until when that counts (UTC)."""

    person: str
    until: datetime


@dataclass(frozen=True)
class Escalation:
    """One person's call to another approver, `to`, or to all operators (None), at a time (UTC). `reason` is their words."""

    person: str
    to: str | None
    reason: str
    at: datetime


@dataclass(frozen=True)
class Attention:
    """What is said of one hold now. `snoozed_until` is one approver's own, and nobody else's.

    `nudged_at`: when whoever asked for it last reminded its approvers (UTC).
    """

    looker: Looker | None = None
    snoozed_until: datetime | None = None
    escalations: tuple[Escalation, ...] = ()
    """Oldest first."""
    nudged_at: datetime | None = None


NOBODY = Attention()
"""Of most holds nothing is said."""


def snoozed_until(length: str, now: datetime, expires_at: datetime) -> datetime:
    """When a hold comes back that is snoozed for one of SNOOZES: while it can still be decided.

    Raises:
        Invalid: about `/length`.
    """
    if length not in SNOOZES:
        raise invalid("/length", "unknown_length", "A hold is snoozed for an hour, four hours or a day.")
    until = now + SNOOZES[length]
    if until >= expires_at:
        raise invalid("/length", "past_expiry", "It ends before then: nobody could decide it any more.")
    return until
