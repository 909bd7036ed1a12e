"""What the console looks at beside the lists: the whole story of a request, and where an id of the provider's leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.approval import Vote
from governor.domain.audit import Sealed
from governor.domain.errors import NotFound
from governor.domain.external import ExternalRefund
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.ports.lookups import EventMatter, Lookups
from governor.ports.records import RecordedEvidence, TrailFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller

MOVES_AT_MOST = 500
"""A request makes a dozen moves; one that is recovered for weeks makes a few hundred."""


@dataclass(frozen=True)
class RefundStory:
    """A request with all that happened to it, as it was at one moment.

    `moves` is what the trail says of it, `unresolved` the other requests of its payment of which nobody knows yet
    whether money left, `facts` its payment as it was last read; None when that is not kept.
    """

    request: RefundRequest
    votes: Sequence[tuple[Vote, datetime]]
    evidence: Sequence[RecordedEvidence]
    moves: Sequence[Sealed]
    unresolved: Sequence[RefundRequest]
    facts: PaymentFacts | None


@dataclass(frozen=True)
class Browse:
    """Looking, for people."""

    store: UnitOfWork
    lookups: Lookups

    def story(self, caller: Caller, request_id: str) -> RefundStory:
        """Everything about one request.

        Raises:
            NotFound: `refund_request_not_found`.
        """
        here = caller.environment
        with self.store.reading() as reads:
            request = reads.request(here, request_id)
            if request is None:
                raise NotFound("refund_request_not_found", "There is no such refund request.")
            others = reads.unresolved_of(here, request.payment)
            payment = reads.payment(here, request.payment)
            return RefundStory(
                request,
                reads.votes(here, request.hold) if request.hold else (),
                reads.evidence(here, request_id),
                reads.audit(here, after=0, at_most=MOVES_AT_MOST, chosen=TrailFilter(objects=(request_id,))),
                tuple(one for one in others if one.id != request_id),
                payment[0] if payment else None,
            )

    def request_of_refund(self, caller: Caller, refund: str) -> str | None:
        """The request that a refund at the provider belongs to, if governor made or saw it for one."""
        return self.lookups.request_of_refund(caller.environment, refund)

    def payment_of_charge(self, caller: Caller, charge: str) -> str | None:
        """The payment of a charge, if governor has ever looked at it."""
        return self.lookups.payment_of_charge(caller.environment, charge)

    def external_refund(self, caller: Caller, refund: str) -> ExternalRefund | None:
        """A refund that governor did not make, if the provider has told of it."""
        with self.store.reading() as reads:
            return next(iter(reads.external_refunds(caller.environment, [refund])), None)

    def matter_of_event(self, caller: Caller, event: str) -> EventMatter | None:
        """What one of the provider's events was about, if it came here."""
        return self.lookups.matter_of_event(caller.environment, event)
