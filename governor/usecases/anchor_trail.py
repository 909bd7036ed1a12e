"""Anchoring: where a trail ends, said and signed so that it can be kept where nobody of the database writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from governor.domain.anchors import Anchor
from governor.domain.audit import Place
from governor.ports.signing import Signer
from governor.usecases.read_trail import ReadTrail


@dataclass(frozen=True)
class AnchorTrail:
    """Signs when there is a `signer`; an anchor without a signature proves as much as the place where it is kept."""

    trail: ReadTrail
    now: Callable[[], datetime]
    signer: Signer | None

    def __call__(self, environment: str) -> Anchor:
        """The head of an environment's trail.

        Raises:
            NotFound: `environment_not_found`. Unavailable.
        """
        return self.of(environment, self.trail.stretch(environment, None, None).head, self.now())

    def of(self, environment: str, place: Place, at: datetime) -> Anchor:
        """A place that a trail had at a time."""
        moment = at.astimezone(UTC).isoformat(timespec="microseconds")
        anchor = Anchor(environment, place.seq, place.hash, moment)
        return anchor if self.signer is None else replace(anchor, signed=self.signer.sign(anchor.message))
