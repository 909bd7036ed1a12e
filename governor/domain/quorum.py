"""How many people a hold needs, and which: what is frozen into it when it begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

MOST_PEOPLE = 5
"""The largest quorum: more people than this have never all looked."""

_NAMED = 3
"""So many people are named where one of them is asked for; of more, how many they are."""


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

    def left(self, people: int, seats: Collection[str]) -> Need | None:
        """What it still asks for when so many people have approved, who sit on these `seats`; None when it is met."""
        if self.approvers is None:
            return replace(self, quorum=self.quorum - people) if people < self.quorum else None
        others = tuple(one for one in self.approvers if one not in seats)
        taken = len(self.approvers) - len(others)
        return replace(self, quorum=self.quorum - taken, approvers=others) if taken < self.quorum else None

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


def still_asked(needs: Sequence[Need], approved: Mapping[str, Collection[str]]) -> tuple[Need, ...]:
    """What is left of the needs, each with how many more it asks for and of whom; none when everybody asked has approved.

    `approved` are those who have, each with the people in whose places they have too (governor.domain.stand_ins). Who
    stands in for somebody sits on one chair for the whole hold, their own or that one's, however many rules ask: two
    people whom two rules name are never one. They are seated so that it is enough, if they can be, so it does not matter
    who approved first; until then on their own chairs, as far as these are asked for. A need of anybody counts people,
    wherever they sit.
    """
    named = {login for need in needs for login in need.approvers or ()}
    found = [
        (tuple(one for need in needs if (one := need.left(len(approved), seats))), seats)
        for seats in _seatings(named, approved)
    ]
    return min(found, key=lambda one: (bool(one[0]), len(one[1] - approved.keys()), sorted(one[1])))[0]


def _seatings(named: Collection[str], approved: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """The sets of named chairs that can be taken at once, without those that leave one empty for nothing.

    There are as many as stand-ins who approved this one hold can choose; whoever has one chair adds none.
    """
    chairs = [{person, *places} & {*named} for person, places in approved.items()]
    seatings: set[frozenset[str]] = {frozenset()}
    for own in sorted(chairs, key=len):
        seatings = {seats | more for seats in seatings for more in _each(own - seats)}
    return seatings


def _each(free: Collection[str]) -> Iterator[frozenset[str]]:
    """Each of the free chairs by itself, or none where none is free."""
    yield from (frozenset({one}) for one in free) if free else (frozenset(),)


@dataclass(frozen=True)
class Reach:
    """Whom a rule asks, beside those who may approve here: what asks for more people than there are can only expire."""

    quorum: int
    able: tuple[str, ...]
    """Who of those asked may approve something now, by name."""
    strangers: tuple[str, ...] = ()
    """Who is asked by name and may approve nothing."""

    @property
    def falls_short(self) -> bool:
        """Whether too few are there."""
        return len(self.able) < self.quorum


def reach(quorum: int, asked: Collection[str] | None, may: Collection[str]) -> Reach:
    """How many of those `asked` (None: of all) are among the people who `may` approve."""
    able = {*may} if asked is None else {*asked} & {*may}
    return Reach(quorum, tuple(sorted(able)), tuple(sorted({*(asked or ())} - {*may})))


def largest(needs: Iterable[Need]) -> int:
    """How many people any one of them asks for at most: with fewer none is approved, with as many perhaps not all are."""
    return max((need.quorum for need in needs), default=0)


def shortest(needs: Iterable[Need], usual_seconds: int) -> int:
    """How many seconds people have: the shortest time that any need gives them."""
    return min(need.expires_seconds or usual_seconds for need in needs)


def in_words(needs: Sequence[Need]) -> str:
    """Whose approval is asked for: `lea; 1 of ana or ben; any 2 approvers`. One approval can be several of these."""
    anybody = largest(need for need in needs if need.approvers is None)
    named = [_in_words(need.quorum, need.approvers) for need in needs if need.approvers is not None]
    several = [] if not anybody else ["any approver" if anybody == 1 else f"any {anybody} approvers"]
    return "; ".join(dict.fromkeys(named + several))


def _in_words(quorum: int, approvers: tuple[str, ...]) -> str:
    if quorum == len(approvers):
        return " and ".join(approvers)
    few = approvers if len(approvers) <= _NAMED else (f"{len(approvers)} who are named",)
    return f"{quorum} of {' or '.join(few)}"
