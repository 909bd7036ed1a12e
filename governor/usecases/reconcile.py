"""Reconciling: exposure plane against evidence plane, for a period and a currency, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from governor.domain.errors import Invalid
from governor.domain.payments import ProviderRefund
from governor.domain.reconciliation import (
    Line,
    Report,
    line_not_in_books,
    line_of_external,
    line_of_request,
    missing_at_provider,
)
from governor.ports.books import Books, OpenBooks
from governor.ports.provider import PaymentProvider
from governor.ports.store import UnitOfWork

MOST_LINES = 50_000
"""What one report may have: more is asked for in shorter periods."""


@dataclass(frozen=True)
class Reconcile:
    """`governor reconcile` and its report over the API. Reads only."""

    store: UnitOfWork
    books: Books
    provider: PaymentProvider

    def __call__(
        self, environment: str, currency: str, since: datetime, until: datetime, *, ask_provider: bool
    ) -> Report:
        """The report; `since` inclusive, `until` exclusive (UTC).

        With `ask_provider` the provider's own list is held against the books, too, so that a refund which no
        book knows shows, and so does one which the provider does not have.

        Raises:
            Invalid: `period_empty`, `report_too_long`. NotFound: no such environment. Unavailable.
        """
        if since >= until:
            raise Invalid("period_empty", "A period ends after it begins.")
        now = self.store.now()
        listed = self.provider.list_refunds_since(since) if ask_provider else ()
        with self.books.opened() as books:
            found = _lines(books, environment, currency, since, until)
            lines = tuple(islice(found, MOST_LINES + 1))
            if len(lines) > MOST_LINES:
                raise Invalid("report_too_long", f"A report has {MOST_LINES} lines at most: ask for less.")
        if ask_provider:
            lines = (*_still_there(lines, listed), *_beyond(lines, listed, currency, until))
        return Report(environment, currency, since, until, now, ask_provider, lines)


def _lines(
    books: OpenBooks, environment: str, currency: str, since: datetime, until: datetime
) -> Iterator[Line]:
    here = books.environment(environment)
    for request, evidence in books.requests_between(environment, currency, since, until):
        line = line_of_request(request, evidence)
        if line is not None:
            yield line
    for refund in books.external_between(environment, currency, since, until):
        yield line_of_external(refund, here)


def _still_there(lines: Sequence[Line], listed: Sequence[ProviderRefund]) -> Iterator[Line]:
    """The lines, those marked whose refunds the provider does not list."""
    there = {refund.id for refund in listed}
    return (line if there.issuperset(line.refunds) else missing_at_provider(line) for line in lines)


def _beyond(
    lines: Sequence[Line], listed: Sequence[ProviderRefund], currency: str, until: datetime
) -> Iterator[Line]:
    """What the provider lists of the period, and no line knows."""
    here = {refund for line in lines for refund in line.refunds}
    for refund in listed:
        within = refund.created_at is None or refund.created_at < until
        if refund.id not in here and refund.currency == currency and within:
            yield line_not_in_books(refund)
