"""The unknown desk: what nobody knows yet, with everything that bears on it, for the operators who must find out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from governor.domain.audit import Sealed
from governor.domain.doubt import Candidate, DoubtTotal, candidate
from governor.domain.errors import NotFound, Unavailable
from governor.domain.lifecycle import State
from governor.domain.recovery import Look
from governor.domain.requests import HoldRow, RefundRequest
from governor.ports.provider import PaymentProvider
from governor.ports.reads import Reads
from governor.ports.records import InDoubt, RecordedEvidence, TrailFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller, speaking
from governor.usecases.change_environment import existing
from governor.usecases.recover_refund import RecoverRefund, how_to_look

LOOKED_AT = frozenset({State.DISPATCHING, State.UNKNOWN, State.PROVIDER_PENDING})
"""Where the provider may know more than we do."""

MOST_ROWS = 1000
"""How much of a request's audit trail a pack shows, from its beginning: far more than a request ever has."""


@dataclass(frozen=True)
class Desk:
    """A page of the desk, longest in doubt first, and what all of it adds up to `at` this moment (UTC)."""

    items: tuple[InDoubt, ...]
    speaking: frozenset[str]
    """The credentials of proposals whose word still counts."""
    totals: tuple[DoubtTotal, ...]
    at: datetime


@dataclass(frozen=True)
class EvidencePack:
    """Everything about one request. `candidates` is None when the provider could not be read, with the reason."""

    item: InDoubt
    speaking: frozenset[str]
    """The credentials of its proposals whose word still counts."""
    evidence: tuple[RecordedEvidence, ...]
    holds: tuple[HoldRow, ...]
    trail: tuple[Sealed, ...]
    how: Look
    """How governor looks at it by itself as things stand: whether it would send it again."""
    candidates: tuple[Candidate, ...] | None
    candidates_unavailable: str | None
    at: datetime


@dataclass(frozen=True)
class UnknownDesk:
    """Looking at requests in doubt. Nothing here sends, releases or settles by itself."""

    store: UnitOfWork
    provider: PaymentProvider
    recover: RecoverRefund

    def listed(self, caller: Caller, *, after: str | None, at_most: int) -> Desk:
        """The desk behind the request `after`."""
        now = self.store.now()
        with self.store.reading() as reads:
            items = reads.in_doubt(caller.environment, after=after, at_most=at_most)
            totals = reads.in_doubt_totals(caller.environment, now)
            return Desk(items, _speaking(reads, caller, items, now), totals, now)

    def totals(self, caller: Caller) -> tuple[DoubtTotal, ...]:
        """What all of the desk adds up to now."""
        now = self.store.now()
        with self.store.reading() as reads:
            return reads.in_doubt_totals(caller.environment, now)

    def pack(self, caller: Caller, request_id: str) -> EvidencePack:
        """The evidence pack of a request, with the payment's refunds at the provider as they are now.

        Raises:
            NotFound: `refund_request_not_found`.
        """
        request, here = self._request(caller, request_id), caller.environment
        candidates, away = None, None
        with self.store.reading() as reads:
            keys = reads.keys_of_refunds(here, request.payment)
        try:
            found = self.provider.list_refunds(request.payment)
            candidates = tuple(candidate(request, refund, keys) for refund in found)
        except Unavailable as error:
            away = error.code
        now = self.store.now()
        with self.store.reading() as reads:
            evidence = reads.evidence(here, request_id)
            request = reads.request(here, request_id) or request
            place = existing(reads.environment_named(here))
            names = tuple(one.provider_request_id for one in evidence if one.provider_request_id)
            item = InDoubt(request, names, reads.proposals(here, request_id))
            return EvidencePack(
                item,
                _speaking(reads, caller, [item], now),
                evidence,
                reads.holds(here, request_id),
                reads.audit(here, after=0, at_most=MOST_ROWS, chosen=TrailFilter(objects=(request_id,))),
                how_to_look(reads, place, [request], now)[request_id],
                candidates,
                away,
                now,
            )

    def look_now(self, caller: Caller, request_id: str) -> RefundRequest:
        """Read at the provider now, never send; the request as it is afterwards.

        Raises:
            NotFound: `refund_request_not_found`. Unavailable: the provider could not be read.
        """
        request = self._request(caller, request_id)
        if request.state in LOOKED_AT:
            self.recover.look_now(request)
        return self._request(caller, request_id)

    def _request(self, caller: Caller, request_id: str) -> RefundRequest:
        with self.store.reading() as reads:
            found = reads.request(caller.environment, request_id)
        if found is None:
            raise NotFound("refund_request_not_found", "There is no such refund request.")
        return found


def _speaking(reads: Reads, caller: Caller, items: Iterable[InDoubt], now: datetime) -> frozenset[str]:
    said = {one.credential for item in items for one in item.proposals}
    return speaking(reads, caller.environment, said, now)
