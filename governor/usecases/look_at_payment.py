"""One payment as whoever decides about a refund of it sees it: its facts, what is left, what else is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.admission import PaymentBook
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.ports.records import RequestFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.expire_holds import expire_due
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.see_refunds import see_payments

SHOWN = 10
"""The newest requests of a payment; the list has the others."""


@dataclass(frozen=True)
class LookedAt:
    """A payment with what governor has taken of it, and the newest requests for it, newest first. Minor units."""

    facts: PaymentFacts
    book: PaymentBook
    requests: tuple[RefundRequest, ...]

    @property
    def remaining_minor(self) -> int:
        """What may still be refunded of it."""
        return self.book.remaining(self.facts.captured_minor)


@dataclass(frozen=True)
class LookAtPayment:
    """Look, as a decision would. What the look brings to light is booked, and nothing else is."""

    store: UnitOfWork
    facts: ReadPaymentFacts

    def __call__(self, caller: Caller, payment: str) -> LookedAt:
        """The payment with facts as young as a decision needs them.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`.
        """
        facts = self.facts(caller.environment, payment)
        with self.store.environment(caller.environment) as tx:
            expire_due(tx)
            if see_payments(tx, [facts]):
                tx.flush()
            found = tx.surroundings((), (), {payment}, tx.now)
            chosen = RequestFilter(payments=(payment,))
            requests = tx.requests(caller.environment, chosen, after=None, at_most=SHOWN)
        return LookedAt(facts, found.book_of(payment), requests)

    def of_charge(self, caller: Caller, charge: str) -> LookedAt:
        """The payment that a charge (`ch_…`, `py_…`) paid, since that is what many pages and receipts name.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`.
        """
        return self(caller, self.facts.provider.payment_of(charge))
