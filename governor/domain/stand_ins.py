"""Stand-ins: an approver who is away names another one, who then approves in their place as well, and never beyond it.

A stand-in gets no right that they do not have: they approve by their own credential, within their own amount. What they
get is a seat: where rules ask for the one who is away, their approval counts. So it counts only for what that one could
approve, too; and whatever one of the two has asked for, neither of them decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from governor.domain.credentials import Credential
from governor.domain.errors import Conflict, Forbidden, invalid

LONGEST = timedelta(days=90)
"""Whoever is away for longer has left their work to somebody, which is a rule's to say."""


@dataclass(frozen=True)
class StandIn:
    """`stand_in` approves in the place of `away` from `begins_at` until `ends_at` (UTC), or until somebody ends it.

    Both are people by their logins. `ended_by` names whoever did: one of the two, or an operator.
    """

    id: str
    away: str
    stand_in: str
    begins_at: datetime
    ends_at: datetime
    named_at: datetime
    ended_at: datetime | None = None
    ended_by: str | None = None

    def over(self, now: datetime) -> bool:
        """Whether it counts no more, and never will."""
        return self.ended_at is not None or now >= self.ends_at

    def counts(self, now: datetime) -> bool:
        """Whether it counts at `now` (UTC)."""
        return self.begins_at <= now and not self.over(now)

    @property
    def people(self) -> frozenset[str]:
        """The two of them."""
        return frozenset({self.away, self.stand_in})

    def overlaps(self, other: StandIn) -> bool:
        """Whether there is a moment at which both count, if nobody ends them."""
        return self.begins_at < other.ends_at and other.begins_at < self.ends_at


@dataclass(frozen=True)
class Acting:
    """For whom one approver acts beside themselves.

    `linked` are all who are away and have named them, and all whom they have named: for separation of duties they are
    one. `places` has the live credentials of those in whose place they approve, by login.
    """

    linked: frozenset[str] = frozenset()
    places: Mapping[str, Sequence[Credential]] = field(default_factory=dict)

    def instead_of(self, amount_minor: int, currency: str) -> tuple[str, ...]:
        """In whose place they approve so much: of those who could approve it themselves."""
        return tuple(
            sorted(
                login
                for login, own in self.places.items()
                if any(one.may_approve(amount_minor, currency) for one in own)
            )
        )


ALONE = Acting()
"""Somebody who acts for nobody else."""


@dataclass(frozen=True)
class StandIns:
    """Those that count now, and `approvers`: the live credentials of the approvers whose places may be taken, by login."""

    live: Sequence[StandIn] = ()
    approvers: Mapping[str, Sequence[Credential]] = field(default_factory=dict)

    def acting(self, person: str) -> Acting:
        """For whom this person acts."""
        theirs = [one for one in self.live if person in one.people]
        away = {one.away for one in theirs if one.stand_in == person}
        return Acting(
            linked=frozenset().union(*(one.people for one in theirs)) - {person},
            places={login: self.approvers[login] for login in away if login in self.approvers},
        )


def check_times(begins_at: datetime, ends_at: datetime, now: datetime) -> None:
    """Refuse a time that is none, or too long.

    Raises:
        Invalid: about `/ends_at`.
    """
    if ends_at <= max(begins_at, now):
        raise invalid("/ends_at", "ends_too_soon", "It has to end later than it begins, and later than now.")
    if ends_at - begins_at > LONGEST:
        raise invalid("/ends_at", "ends_too_late", f"A stand-in is named for {LONGEST.days} days at most.")


def refuse_overlap(new: StandIn, others: Sequence[StandIn]) -> None:
    """Refuse a second stand-in of one person for the same time; `others` are those that count or will.

    Raises:
        Conflict: `stand_in_exists`.
    """
    for one in others:
        if one.away == new.away and one.overlaps(new):
            raise Conflict(
                "stand_in_exists",
                f"{one.stand_in} stands in at that time; end that first, or choose another time.",
                {"stand_in": one.id},
            )


def refuse_ending(one: StandIn, person: str, *, operator: bool) -> None:
    """Refuse whoever is neither of the two, nor an operator.

    Raises:
        Forbidden: `not_yours`.
    """
    if not operator and person not in one.people:
        raise Forbidden("not_yours", "One of the two ends it, or an operator.")
