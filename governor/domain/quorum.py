"""How many people a hold needs, and which: what is frozen into it when it begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

_ALONE: Mapping[str, Collection[str]] = MappingProxyType({})
MOST_PEOPLE = 5
"""The largest quorum: more people than this have never all looked."""


@dataclass(frozen=True)
class Need:
    """So many different people must approve, of those named; None: of all who may approve.

    `asked_by` is the rule or limit that asks for them, `expires_seconds` how long it lets them take (None: as long as
    the environment does). Every need of a hold is met or it is not approved: a rule that asks for the lead and one
    that asks for the treasurer ask for both. So the order of rules means nothing, and no rule can weaken another.
    """

    quorum: int
    approvers: tuple[str, ...] | None
    asked_by: str
    expires_seconds: int | None = None

    def counts(self, person: str) -> bool:
        """Whether this person's approval helps to meet it."""
        return self.approvers is None or person in self.approvers

    def is_met(self, people: Collection[str], instead_of: Mapping[str, Collection[str]] = _ALONE) -> bool:
        """Whether those who have approved are enough; `instead_of`: in whose places they have (governor.domain.stand_ins).

        Of people who are named, each takes one place: their own, or that of one in whose place they approve. Nobody sits
        on two chairs, and nobody's chair counts twice.
        """
        if self.approvers is None:
            return len(set(people)) >= self.quorum
        return self._places_taken(people, instead_of) >= self.quorum

    def _places_taken(self, people: Collection[str], instead_of: Mapping[str, Collection[str]]) -> int:
        """How many of the named places can be taken at once: a largest matching, by augmenting paths."""
        taken: dict[str, str] = {}

        def sits(person: str, tried: set[str]) -> bool:
            for place in (person, *instead_of.get(person, ())):
                if not self.counts(place) or place in tried:
                    continue
                tried.add(place)
                if place not in taken or sits(taken[place], tried):
                    taken[place] = person
                    return True
            return False

        return sum(sits(person, set()) for person in sorted(set(people)))

    def shown(self) -> dict[str, Any]:
        """As approvers see it, and as it is frozen into the hold."""
        return {
            "quorum": self.quorum,
            "approvers": None if self.approvers is None else list(self.approvers),
            "asked_by": self.asked_by,
        }


def needs_in(shown: Mapping[str, Any], quorum: int) -> tuple[Need, ...]:
    """What a hold needs, as it was frozen; `quorum` of anybody where nothing more was."""
    frozen = shown.get("needs") or [{"quorum": quorum, "approvers": None, "asked_by": ""}]
    return tuple(
        Need(one["quorum"], None if one["approvers"] is None else tuple(one["approvers"]), one["asked_by"])
        for one in frozen
    )


def largest(needs: Iterable[Need]) -> int:
    """The least number of people that can meet them all; 0 when nobody is needed."""
    return max((need.quorum for need in needs), default=0)


def shortest(needs: Iterable[Need], usual_seconds: int) -> int:
    """How many seconds people have: the shortest time that any need gives them."""
    return min(need.expires_seconds or usual_seconds for need in needs)
