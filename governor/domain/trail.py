"""Walking along an audit trail: does every row seal the one before it, and where is the first break?

A chain shows every change, loss, insertion and exchange of rows before its end. It cannot show that its end was cut
off, or that all of it was written anew: for that its head must be kept elsewhere (domain/anchors).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from governor.domain.audit import Place, Sealed

Anchored = Mapping[int, frozenset[str]]
"""Row number → the hashes that anchors kept elsewhere give that row. Two different ones contradict each other."""

NOTHING_ANCHORED: Anchored = {}


class Fault(StrEnum):
    """What is wrong at the first break.

    GAP: another row stands where this number should be. HASH: the row does not say what was sealed. LINK: the row is
    whole, and seals another row than the one before it. ANCHOR: the row is not the one that was anchored. HEAD: the
    trail does not end where it should. SIGNATURE: an anchor is not signed by a known key. FILE: what was exported
    cannot be read, or is not what its manifest says.
    """

    GAP = "audit_gap"
    HASH = "audit_hash"
    LINK = "audit_link"
    ANCHOR = "audit_anchor"
    HEAD = "audit_head"
    SIGNATURE = "audit_signature"
    FILE = "audit_file"


UNSEEN_WITHOUT_ANCHORS: Final = frozenset({Fault.ANCHOR, Fault.HEAD, Fault.SIGNATURE})
"""What a chain can hide once it was sealed anew, or has grown: only a look that is held to anchors says that it is over."""


@dataclass(frozen=True)
class Break:
    """The first place where a trail is not what it should be; `seq` is the number of the row there."""

    code: Fault
    seq: int
    expected: str
    found: str


@dataclass(frozen=True)
class Walked:
    """`rows` rows are whole, up to `place`. `broken` says why it did not go on; None when there were no more."""

    place: Place
    rows: int
    broken: Break | None = None


def walk(
    environment: str, start: Place, rows: Iterable[Sealed], anchored: Anchored = NOTHING_ANCHORED
) -> Walked:
    """Walk from `start` over rows in the order in which they are kept, up to the first break."""
    place, count = start, 0
    broken = _other_than_anchored(start, anchored)
    if broken is not None:
        return Walked(place, count, broken)
    for row in rows:
        broken = _broken(environment, place, row) or _other_than_anchored(row.place, anchored)
        if broken is not None:
            return Walked(place, count, broken)
        place, count = row.place, count + 1
    return Walked(place, count)


def _broken(environment: str, before: Place, row: Sealed) -> Break | None:
    seq = before.seq + 1
    if row.seq != seq:
        return Break(Fault.GAP, seq, f"row {seq}", f"row {row.seq}")
    own = replace(row, environment=environment).own_hash
    if row.hash != own:
        return Break(Fault.HASH, seq, own, row.hash)
    if row.prev_hash != before.hash:
        return Break(Fault.LINK, seq, before.hash, row.prev_hash)
    return None


def _other_than_anchored(place: Place, anchored: Anchored) -> Break | None:
    hashes = anchored.get(place.seq)
    if hashes is None or hashes == {place.hash}:
        return None
    return Break(Fault.ANCHOR, place.seq, " and ".join(sorted(hashes)), place.hash)


def ended(
    walked: Walked, last: int, last_hash: str | None = None, anchored: Anchored = NOTHING_ANCHORED
) -> Walked:
    """What was walked, if it went to row `last` (with that hash) and no anchor names a row behind it.

    Else with the break at its end.
    """
    place = walked.place
    if walked.broken is not None:
        return walked
    found = f"the last row is {place.seq}"
    if place.seq != last:
        return replace(walked, broken=Break(Fault.HEAD, place.seq + 1, f"rows up to {last}", found))
    if last_hash not in {None, place.hash}:
        return replace(walked, broken=Break(Fault.HEAD, last, str(last_hash), place.hash))
    anchored_behind = max(anchored, default=0)
    if anchored_behind > last:
        expected = f"rows up to {anchored_behind}, which is anchored"
        return replace(walked, broken=Break(Fault.HEAD, last + 1, expected, found))
    return walked
