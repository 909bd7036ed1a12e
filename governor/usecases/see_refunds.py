"""What the provider shows of its refunds, brought into the books: the one door for every way of looking.

A webhook, a poll, a sweep, a recovery and an admission's own read all end here, so that a refund which all of
them see is counted once. Ours becomes evidence of its request; one made elsewhere is charged to the limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.evidence import Evidence, Source
from governor.domain.external import ExternalRefund, noticed, noticed_again
from governor.domain.lifecycle import Capacity
from governor.domain.outcome import Outcome
from governor.domain.payments import PaymentFacts, ProviderRefund
from governor.domain.requests import request_of_key
from governor.domain.sightings import Sighting, sightings
from governor.ports.reads import Reads
from governor.ports.records import RecordedEvidence
from governor.ports.store import Transaction
from governor.usecases.apply_evidence import apply_evidence

Keys = Mapping[str, str]
"""Refund id → the idempotency key of the call that made it, as creation events tell it."""

NO_KEYS: Keys = {}


def seen(
    reads: Reads,
    environment: str,
    payment: str | None,
    refunds: Sequence[ProviderRefund],
    keys: Keys = NO_KEYS,
) -> list[Sighting]:
    """Whose each of these refunds of one payment is, as far as it is news."""
    if not refunds:
        return []
    named = {refund.request_id for refund in refunds if refund.request_id}
    named |= {name for name in map(request_of_key, keys.values()) if name}
    requests = {one.id: one for one in reads.requests_seen(environment, payment, named)}
    ids = {refund.id for refund in refunds}
    known = {one.id: one for one in reads.external_refunds(environment, ids)}
    return [one for one in sightings(refunds, requests, known, keys) if one.tells_something]


def see_refunds(
    tx: Transaction,
    payment: str | None,
    refunds: Sequence[ProviderRefund],
    *,
    customer: str | None,
    keys: Keys = NO_KEYS,
) -> int:
    """Book what is news in these refunds of one payment; returns how many were.

    `customer` is the payment's, from the provider's facts: a refund made elsewhere counts for its limits, too.
    """
    news = seen(tx, tx.here.name, payment, refunds, keys)
    for sighting in news:
        if sighting.request is None:
            _book_external(tx, sighting, customer)
            continue
        if sighting.known_as_external:
            _hand_over(tx, sighting)
        evidence = Evidence(Source.READ, Outcome.ACCEPTED, refund=sighting.refund)
        reason = f"read_{sighting.refund.status or 'no_status'}"
        apply_evidence(tx, sighting.request.id, RecordedEvidence(evidence, reason, None, None, tx.now))
    return len(news)


def see_payments(tx: Transaction, read: Iterable[PaymentFacts]) -> bool:
    """Book what payments just read from the provider show; whether that was anything new."""
    testing = (one for one in read if not one.livemode)
    return sum(see_refunds(tx, one.payment, one.refunds, customer=one.customer) for one in testing) > 0


def _book_external(tx: Transaction, sighting: Sighting, customer: str | None) -> None:
    before = sighting.known
    if before is not None:
        after = noticed_again(before, sighting.refund, tx.now)
        tx.book_external(before, after)
        facts = {"from": before.capacity.value, "to": after.capacity.value, "status": after.status}
        tx.append_audit([Entry("governor", "external_refund.moved", after.id, facts)])
        return
    after = noticed(sighting.refund, customer, tx.now)
    charges = after.charges(tx.here.name, tx.active_limits(), after.happened_at)
    governed = after.happened_under(tx.here) and after.capacity is not Capacity.RELEASED
    # What was refunded before there was a governor takes room of its payment only.
    tx.book_external(None, after, charges if governed else ())
    checkpoint("external.booked")
    tx.append_audit([Entry("governor", "external_refund.noticed", after.id, _told(after))])


def _hand_over(tx: Transaction, sighting: Sighting) -> None:
    """A refund that was taken for one made elsewhere is a request's: it must not be counted twice."""
    before, request = sighting.known, sighting.request
    if before is None or request is None:
        return
    after = noticed_again(before, sighting.refund, tx.now).of_request(request.id, tx.now)
    tx.book_external(before, after)
    tx.append_audit([Entry("governor", "external_refund.handed_over", after.id, {"request": request.id})])


def _told(refund: ExternalRefund) -> dict[str, object]:
    return {
        "payment": refund.payment,
        "amount": refund.amount_minor,
        "currency": refund.currency,
        "status": refund.status,
        "claims": refund.claims,
        "capacity": refund.capacity.value,
        "happened_at": refund.happened_at.isoformat(),
    }
