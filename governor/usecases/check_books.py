"""Checking the books: does everything that must add up add up, now, in one snapshot (invariant 17 and its kin)?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from governor.domain.audit import BEGINNING
from governor.domain.errors import NotFound
from governor.domain.lifecycle import CAPACITY, OPEN_STATES
from governor.domain.limits import Limit, charges_for
from governor.domain.trail import ended, walk
from governor.ports.books import Books, Finding, OpenBooks, OpenRequest

AT_MOST = 200
"""How many findings of one check are reported: the first ones tell the story, and a broken sum breaks many."""


@dataclass(frozen=True)
class BooksReport:
    """What was checked, by kind of row, and what does not add up. Clean when `findings` is empty."""

    environments: tuple[str, ...]
    sizes: dict[str, int]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class CheckBooks:
    """`governor fsck`. Reads only, and stops nobody."""

    books: Books

    def __call__(self, environment: str | None = None) -> BooksReport:
        """Check one environment, or all.

        Raises:
            NotFound: `environment_not_found`. Unavailable: the database cannot be read.
        """
        with self.books.opened() as books:
            names = books.environments()
            if environment is not None and environment not in names:
                raise NotFound("environment_not_found", "There is no such environment.")
            names = names if environment is None else (environment,)
            sizes: Counter[str] = Counter()
            findings: list[Finding] = []
            for name in names:
                sizes.update(books.sizes(name))
                for check in _checks(books, name):
                    findings += islice(check, AT_MOST)
        return BooksReport(names, dict(sizes), tuple(findings))


def _checks(books: OpenBooks, environment: str) -> Iterator[Iterable[Finding]]:
    yield books.unreadable(environment)
    yield books.wrong_sums(environment)
    yield books.wrong_holds(environment, CAPACITY)
    yield books.wrong_payments(environment, CAPACITY)
    yield books.wrong_columns(environment)
    yield books.wrong_environment(environment)
    yield books.wrong_messages(environment)
    yield _uncovered(books, environment)
    yield _broken_trail(books, environment)


def _uncovered(books: OpenBooks, environment: str) -> Iterator[Finding]:
    """Open requests without their hold on a limit that applies: nobody escapes a limit (invariants 2 and 12)."""
    found = tuple(books.limits(environment))
    yield from (one for one in found if isinstance(one, Finding))
    limits = tuple(one for one in found if not isinstance(one, Finding))
    for one in books.open_requests(environment, OPEN_STATES):
        if isinstance(one, Finding):
            yield one
        else:
            yield from _missing_holds(one, limits)


def _missing_holds(one: OpenRequest, limits: tuple[Limit, ...]) -> Iterator[Finding]:
    request = one.request
    for charge in charges_for(request.subject, request.amount_minor, limits, request.created_at):
        held = one.held.get((charge.key.limit, charge.key.value), 0)
        if charge.counted and held != charge.amount:
            yield Finding(
                "hold_of_open_request",
                request.environment,
                request.id,
                f"{charge.amount} held on {charge.key.limit} for {charge.key.value}",
                f"{held} held",
            )


def _broken_trail(books: OpenBooks, environment: str) -> Iterator[Finding]:
    """The first break of the audit trail. After it all the rest would be one."""
    walked = walk(environment, BEGINNING, books.audit_trail(environment))
    head = books.audit_head(environment)
    broken = ended(walked, head.seq, head.hash).broken
    if broken is not None:
        yield Finding(broken.code, environment, f"audit row {broken.seq}", broken.expected, broken.found)
