"""People and their sessions as a second book knows them, to hold against what governor says of them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from governor.domain.credentials import Role

IDLE, WHOLE = timedelta(minutes=30), timedelta(hours=12)


@dataclass
class Known:
    """A person as a second book knows them."""

    login: str
    password: str
    disabled: bool = False
    roles: dict[Role, str] = field(default_factory=dict)
    """Role → the id of the membership that stands."""


@dataclass
class Visit:
    """A session as the second book knows it. It is used at every look, which is at every step."""

    token: str
    person: Known
    created_at: datetime
    used_at: datetime
    ended: bool = False

    def live_at(self, now: datetime) -> bool:
        in_time = now < self.used_at + IDLE and now < self.created_at + WHOLE
        return in_time and not self.ended and not self.person.disabled
