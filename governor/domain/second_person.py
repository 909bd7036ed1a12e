"""What takes two people: one says it, another one says the same. One rule for freezes, resolutions and raises.

A *person* is whoever answers for a credential, so a second key of the same one is no second person, and neither is a
key that the first has made. What was said with a key that is dead by now counts no more (both: governor.usecases.callers).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from governor.domain.errors import Conflict


@dataclass(frozen=True)
class Word:
    """What one person says, and why (empty where no reason was asked for); `at` in UTC."""

    person: str
    credential: str
    reason: str
    at: datetime


def refuse_same_person(first: Word, person: str) -> None:
    """Refuse whoever has said it already.

    Raises:
        Conflict: `second_person_needed`, with what is proposed.
    """
    if first.person == person:
        raise Conflict(
            "second_person_needed",
            "Somebody else has to say the same.",
            {"proposal": {"person": first.person, "reason": first.reason}},
        )
