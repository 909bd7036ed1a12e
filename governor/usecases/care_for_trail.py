"""Keeping how audit trails are looked after, for whoever asks when that was last done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from governor.domain.anchors import Anchor
from governor.domain.trail_care import Anchored, KeptIn, TrailCare, Verified
from governor.ports.store import UnitOfWork
from governor.ports.trail_care import TrailCares
from governor.usecases.read_trail import ends_of
from governor.usecases.verify_trail import Verification


@dataclass(frozen=True)
class CareForTrail:
    """What was done last. `now` is the database's time, never moved."""

    store: UnitOfWork
    kept: TrailCares
    now: Callable[[], datetime]

    def anchored(self, anchor: Anchor, kept_in: KeptIn) -> None:
        """An anchor has gone to where it is kept.

        Raises:
            Unavailable: the database is away; the anchor counts all the same, since it is kept elsewhere.
        """
        key = None if anchor.signed is None else anchor.signed.key
        at = datetime.fromisoformat(anchor.at)
        self.kept.anchored(anchor.environment, Anchored(anchor.seq, anchor.hash, at, kept_in, key))

    def verified(self, verdict: Verification, run: str | None = None) -> None:
        """The trail was verified. A break stays until its row was looked at again, however much of the rest is whole.

        Raises:
            Unavailable: the database is away.
        """
        broken = None if verdict.broken is None else (verdict.broken.code.value, verdict.broken.seq)
        said = Verified(verdict.first, verdict.last, self.now(), run, broken)
        self.kept.verified(verdict.environment, said, held_to_anchors=verdict.anchors > 0)

    def of(self, environment: str) -> TrailCare:
        """How the trail of an environment that exists is looked after."""
        with self.store.reading() as reads:
            head, _ = ends_of(reads, environment)
        return TrailCare(head.seq, *self.kept.of(environment))
