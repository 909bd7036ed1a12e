"""Reading the audit trail, page by page.

What is behind the head never changes. So a reader who begins by looking where the head is has a snapshot for as long
as it takes, and neither a transaction nor a connection is held while its reader is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.audit import BEGINNING, Place, Sealed
from governor.domain.errors import Invalid, NotFound
from governor.domain.windows import moment
from governor.ports.reads import Reads
from governor.ports.records import WHOLE_TRAIL, TrailFilter
from governor.ports.store import UnitOfWork

AT_ONCE = 500
"""How many rows a page has when all of them are read."""

Bound = int | datetime | None
"""A row's number (inclusive, on both sides), a time (inclusive as the beginning, exclusive as the end), or neither."""


_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


def read_bound(text: str) -> int | datetime:
    """A bound as people write it: the number of a row, a date, or an RFC 3339 time.

    Raises:
        ValueError: it is none of them.
    """
    return int(text) if _NUMBER.fullmatch(text) else moment(text)


@dataclass(frozen=True)
class Stretch:
    """Rows `first` to `last` of an environment's trail, whose head was `head` and whose newest row was `newest`."""

    environment: str
    first: int
    last: int
    head: Place
    newest: int

    @property
    def whole(self) -> bool:
        """Whether it goes up to the head."""
        return self.last == self.head.seq


@dataclass(frozen=True)
class ReadTrail:
    """What everybody does with the trail who does anything with it."""

    store: UnitOfWork

    def stretch(self, environment: str, since: Bound, until: Bound, *, at_most: int | None = None) -> Stretch:
        """The rows between two bounds, as the trail is now. `until` may name a row that does not exist (yet).

        Raises:
            NotFound: `environment_not_found`. Invalid: `period_empty` when no row is between the bounds,
            `report_too_long` when more than `at_most` are.
        """
        stretch = self._between(environment, since, until)
        if not BEGINNING.seq < stretch.first <= stretch.last:
            raise Invalid("period_empty", "No row is between these bounds.")
        return self._bounded(stretch, at_most)

    def whole(self, environment: str, *, at_most: int | None = None) -> Stretch:
        """All rows up to the head, as the trail is now; also where its head says that there are none.

        Raises:
            NotFound: `environment_not_found`. Invalid: `report_too_long`, as for a stretch.
        """
        return self._bounded(self._between(environment, None, None), at_most)

    def _bounded(self, stretch: Stretch, at_most: int | None) -> Stretch:
        if at_most is not None and stretch.last - stretch.first >= at_most:
            raise Invalid("report_too_long", f"One answer is about {at_most} rows at most: name a part.")
        return stretch

    def _between(self, environment: str, since: Bound, until: Bound) -> Stretch:
        with self.store.reading() as reads:
            head, newest = ends_of(reads, environment)
            begin, end = BEGINNING.seq + 1, head.seq + 1
            first = since if isinstance(since, int) else _at(reads, environment, head, since, begin)
            last = until if isinstance(until, int) else _at(reads, environment, head, until, end) - 1
        return Stretch(environment, first, last, head, newest)

    def listed(
        self, environment: str, chosen: TrailFilter, since: Bound, until: Bound, *, after: int, at_most: int
    ) -> tuple[Sealed, ...]:
        """A page of the chosen rows between two bounds, oldest first, behind row `after`."""
        stretch = self._between(environment, since, until)
        with self.store.reading() as reads:
            return reads.audit(
                environment,
                after=max(after, stretch.first - 1),
                at_most=at_most,
                chosen=replace(chosen, last=stretch.last),
            )

    def end_of(
        self, environment: str, chosen: TrailFilter, since: Bound, until: Bound, *, at_most: int
    ) -> tuple[Sealed, ...]:
        """The last of the chosen rows between two bounds, oldest first."""
        stretch = self._between(environment, since, until)
        within = replace(chosen, last=stretch.last)
        with self.store.reading() as reads:
            return reads.audit_end(environment, after=stretch.first - 1, at_most=at_most, chosen=within)

    def before(self, stretch: Stretch) -> Place | None:
        """The place where a stretch begins; None when the row there is missing."""
        if stretch.first == BEGINNING.seq + 1:
            return BEGINNING
        wanted = stretch.first - 1
        found = next(self.along(replace(stretch, first=wanted, last=wanted)), None)
        return None if found is None else found.place

    def along(self, stretch: Stretch) -> Iterator[Sealed]:
        """Every row of a stretch, as far as they exist; each page is a short look of its own."""
        chosen, after = replace(WHOLE_TRAIL, last=stretch.last), stretch.first - 1
        while after < stretch.last:
            with self.store.reading() as reads:
                page = reads.audit(stretch.environment, after=after, at_most=AT_ONCE, chosen=chosen)
            yield from page
            if not page:
                return
            after = page[-1].seq


def ends_of(reads: Reads, environment: str) -> tuple[Place, int]:
    """Where the environment says that its trail ends, and the number of the newest row.

    Raises:
        NotFound: `environment_not_found`.
    """
    ends = reads.audit_ends(environment)
    if ends is None:
        raise NotFound("environment_not_found", "There is no such environment.")
    return ends


def _at(reads: Reads, environment: str, head: Place, moment: datetime | None, otherwise: int) -> int:
    """The number of the first row at or after a moment, `head.seq + 1` when there is none; `otherwise` for no moment.

    Times never run backwards in a trail, so a handful of looks finds it in any length.
    """
    if moment is None:
        return otherwise
    low, high = BEGINNING.seq + 1, head.seq + 1
    while low < high:
        middle = (low + high) // 2
        found = reads.audit(environment, after=middle - 1, at_most=1)
        if found and found[0].at < moment:
            low = middle + 1
        else:
            high = middle
    return low
