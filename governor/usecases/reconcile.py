"""Reconciling: exposure plane against evidence plane, for a period and a currency, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from governor.domain.errors import Invalid
from governor.domain.payments import ProviderRefund
from governor.domain.reconciliation import (
    Explanation,
    Line,
    Report,
    line_not_in_books,
    line_of_external,
    line_of_request,
    missing_at_provider,
)
from governor.domain.recovery import CLOCKS_APART
from governor.ports.books import Books, OpenBooks
from governor.ports.provider import PaymentProvider
from governor.ports.store import UnitOfWork

PERIOD = timedelta(days=30)
"""What a report is about when nobody says from when."""

MOST_LINES = 50_000
"""What one report may have: more is asked for in shorter periods."""


@dataclass(frozen=True)
class Reconcile:
    """`governor reconcile` and its report over the API. Reads only."""

    store: UnitOfWork
    books: Books
    provider: PaymentProvider

    def __call__(
        self,
        environment: str,
        currency: str,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        ask_provider: bool,
    ) -> Report:
        """The report; `since` inclusive, `until` exclusive (UTC): by default the PERIOD up to now.

        With `ask_provider` the provider's own list is held against the books, too, so that a refund which no
        book knows shows, and so does one which the provider does not have.

        Raises:
            Invalid: `period_empty`, `report_too_long`. NotFound: no such environment. Unavailable.
        """
        now = self.store.now()
        until = until or now
        since = since or until - PERIOD
        if since >= until:
            raise Invalid("period_empty", "A period ends after it begins.")
        # Listed before the books are opened: so whatever is listed is in them, or its call is still under way.
        listed = self.provider.list_refunds_since(since - CLOCKS_APART) if ask_provider else ()
        with self.books.opened() as books:
            found = _lines(books, environment, currency, since, until)
            lines = tuple(islice(found, MOST_LINES + 1))
            if len(lines) > MOST_LINES:
                raise Invalid("report_too_long", f"A report has {MOST_LINES} lines at most: ask for less.")
        if ask_provider:
            within = [one for one in listed if one.created_at is None or since <= one.created_at < until]
            lines = (*self._still_there(lines, listed), *_beyond(lines, within, currency))
        return Report(environment, currency, since, until, now, ask_provider, lines)

    def _still_there(self, lines: Sequence[Line], listed: Sequence[ProviderRefund]) -> Iterator[Line]:
        """The lines, those marked whose refunds the provider does not have.

        What the list lacks may be younger than the list, or older than the period: its payment is asked for it.
        """
        there = {refund.id for refund in listed}
        for line in lines:
            missing = set(line.refunds) - there
            if missing and line.payment is not None:
                missing -= {refund.id for refund in self.provider.list_refunds(line.payment)}
            yield missing_at_provider(line) if missing else line


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


def _beyond(lines: Sequence[Line], listed: Sequence[ProviderRefund], currency: str) -> Iterator[Line]:
    """What the provider lists of the period, and no line knows: neither the refund nor the call that is making it."""
    here = {refund for line in lines for refund in line.refunds}
    under_way = {line.request for line in lines if line.explanation is Explanation.IN_DOUBT and line.request}
    for refund in listed:
        known = refund.id in here or refund.request_id in under_way
        if refund.currency == currency and not known:
            yield line_not_in_books(refund)
