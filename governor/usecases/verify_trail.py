"""Verifying the audit trail: is it what was sealed, all of it, up to its end, and as it was when it was anchored?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from governor.domain.anchors import Anchor, read_anchors
from governor.domain.audit import Place
from governor.domain.trail import Anchored, Break, Fault, Walked, ended, walk
from governor.domain.trail_file import TrailFile
from governor.ports.signing import KnownKeys
from governor.usecases.read_trail import Bound, ReadTrail, Stretch


@dataclass(frozen=True)
class Verification:
    """Rows `first` to `last` were to be looked at, and `rows` of them are whole, the last with the hash `hash`.

    `broken` is the first break. `anchors` is how many anchors the rows were held to, `signatures` how many of those
    were signed by a known key.
    """

    environment: str
    first: int
    last: int
    rows: int
    hash: str
    broken: Break | None
    anchors: int
    signatures: int


@dataclass(frozen=True)
class _Held:
    """Anchors of one environment that can be held against it, and the first that cannot be believed."""

    anchors: Sequence[Anchor]
    signatures: int
    disbelieved: Break | None

    @property
    def by_row(self) -> Anchored:
        """Their hashes by row."""
        hashes: defaultdict[int, set[str]] = defaultdict(set)
        for anchor in self.anchors:
            hashes[anchor.seq].add(anchor.hash)
        return {seq: frozenset(found) for seq, found in hashes.items()}

    def verification(
        self, environment: str, first: int, last: int, walked: Walked, anchored: Anchored
    ) -> Verification:
        """What came of the walk; an anchor that is not believed is a break, too, when there is no other."""
        return Verification(
            environment=environment,
            first=first,
            last=last,
            rows=walked.rows,
            hash=walked.place.hash,
            broken=walked.broken or self.disbelieved,
            anchors=len(anchored),
            signatures=self.signatures,
        )


def _within(
    environment: str, anchors: Iterable[Anchor], first: int, last: int | None = None
) -> Sequence[Anchor]:
    """Those of an environment about rows `first` to `last`, or behind `first` when `last` is None.

    The row before the first belongs to them: the first one seals it.
    """
    return [
        one
        for one in anchors
        if one.environment == environment and first - 1 <= one.seq and (last is None or one.seq <= last)
    ]


def _held(ours: Sequence[Anchor], keys: KnownKeys | None) -> _Held:
    """With `keys`, an anchor that none of them signed is not believed. Without, a signature says nothing."""
    if keys is None:
        return _Held(ours, 0, None)
    good = [one for one in ours if one.signed is not None and keys.made(one.signed, one.message)]
    bad = next((one for one in ours if one not in good), None)
    if bad is None:
        return _Held(good, len(good), None)
    found = "no signature" if bad.signed is None else f"a signature that names the key {bad.signed.key}"
    return _Held(good, len(good), Break(Fault.SIGNATURE, bad.seq, "a signature of a known key", found))


@dataclass(frozen=True)
class VerifyTrail:
    """Reads only, and may be at work while others write. `keys` are the installation's own."""

    trail: ReadTrail
    keys: KnownKeys | None = None

    def __call__(
        self,
        environment: str,
        since: Bound = None,
        until: Bound = None,
        *,
        anchors: Iterable[Anchor] = (),
        keys: KnownKeys | None = None,
        at_most: int | None = None,
    ) -> Verification:
        """Walk the rows between two bounds; without bounds, all of them up to the head.

        Raises:
            NotFound: `environment_not_found`. Invalid: `period_empty`, or `report_too_long` for more than `at_most`.
        """
        stretch = (
            self.trail.whole(environment, at_most=at_most)
            if since is None and until is None
            else self.trail.stretch(environment, since, until, at_most=at_most)
        )
        asked = _within(environment, anchors, stretch.first, None if until is None else stretch.last)
        held = _held(asked, keys or self.keys)
        anchored = held.by_row
        walked = self._walked(stretch, anchored)
        return held.verification(environment, stretch.first, stretch.last, walked, anchored)

    def _walked(self, stretch: Stretch, anchored: Anchored) -> Walked:
        start = self.trail.before(stretch)
        if start is None:
            missing = stretch.first - 1
            return Walked(Place(missing, ""), 0, Break(Fault.GAP, missing, f"row {missing}", "no such row"))
        walked = walk(stretch.environment, start, self.trail.along(stretch), anchored)
        walked = ended(walked, stretch.last, stretch.head.hash if stretch.whole else None, anchored)
        if walked.broken is None and stretch.whole and stretch.newest != stretch.last:
            last, newest = f"rows up to {stretch.last}", f"the newest row is {stretch.newest}"
            return replace(walked, broken=Break(Fault.HEAD, stretch.last + 1, last, newest))
        return walked


def verify_file(
    lines: Iterable[bytes],
    until: int | None = None,
    *,
    anchors: Iterable[Anchor] = (),
    keys: KnownKeys | None = None,
) -> Verification:
    """The same for a trail that was exported, without looking into any database.

    `until` is the last row that was asked for, when it was not the whole trail: anchors behind it do not count.
    The manifest's own anchor counts when it is signed.
    """
    file = TrailFile(lines)
    environment, first = (file.first.environment, file.first.seq) if file.first else ("", 1)
    held = _held(_within(environment, anchors, first, until), keys)
    anchored = held.by_row
    walked = file.walked(anchored)
    if walked.broken is None and file.manifest is not None and keys is not None:
        signed = [one for one in read_anchors([json.dumps(file.manifest.anchor)]) if one.signed is not None]
        walked = replace(walked, broken=_held(_within(environment, signed, first), keys).disbelieved)
    return held.verification(environment, first, until or walked.place.seq, walked, anchored)
