"""Where it is kept how audit trails are looked after."""

from __future__ import annotations

from typing import Protocol

from governor.domain.trail_care import Anchored, Verified


class TrailCares(Protocol):
    """The last of each, by environment. Every word raises Unavailable when the database is away."""

    def anchored(self, environment: str, said: Anchored) -> None:
        """The trail was anchored; an older word than the one that is kept changes nothing."""
        ...

    def verified(self, environment: str, said: Verified, *, held_to_anchors: bool) -> None:
        """The trail was verified; an older word than the one that is kept changes nothing.

        A break that is kept stays until a later look has reached its row, held to anchors where only they show it.
        """
        ...

    def of(self, environment: str) -> tuple[Anchored | None, Verified | None]:
        """What was last said; None for what never was."""
        ...
