"""Exporting the audit trail: one consistent stretch of it, however long its reader takes (RELIABILITY §3 K7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from governor.domain.audit import Sealed
from governor.domain.trail_file import Content, Manifest
from governor.usecases.anchor_trail import AnchorTrail
from governor.usecases.read_trail import Bound, ReadTrail, Stretch

Render = Callable[[Sealed], bytes]


@dataclass
class TrailExport:
    """A stretch on its way out. `lines` writes it once, `manifest` then says what was written."""

    stretch: Stretch
    made_at: datetime
    trail: ReadTrail
    anchor: AnchorTrail
    _written: Content = field(default_factory=Content)

    def lines(self, render: Render, heading: bytes = b"") -> Iterator[bytes]:
        """Every row as it is rendered, page by page as the reader takes it.

        Raises:
            Unavailable: the database went away on the way; what was written until then has no manifest.
        """
        if heading:
            self._written.sha.update(heading)
            yield heading
        for row in self.trail.along(self.stretch):
            line = render(row)
            self._written.add(row, line)
            yield line

    def manifest(self, form: str) -> Manifest:
        """What was written, in this form."""
        end = self._written.place
        return self._written.manifest(form, self.anchor.of(self.stretch.environment, end, self.made_at))


@dataclass(frozen=True)
class ExportTrail:
    """Begin an export."""

    trail: ReadTrail
    anchor: AnchorTrail

    def __call__(
        self, environment: str, since: Bound = None, until: Bound = None, *, at_most: int | None = None
    ) -> TrailExport:
        """The rows between two bounds as the trail is now; what is written meanwhile is not in it.

        Raises:
            NotFound: `environment_not_found`. Invalid: `period_empty`, or `report_too_long` for more than
            `at_most` rows. Unavailable.
        """
        stretch = self.trail.stretch(environment, since, until, at_most=at_most)
        return TrailExport(stretch, self.anchor.now(), self.trail, self.anchor)
