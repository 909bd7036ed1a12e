"""A new limit counts what is there already (invariant 12), and asks a proof of what waits to be sent over it.

What was not there when the limit came, because it was thought to have failed, is counted when the truth comes late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from governor.domain.late_limits import over
from governor.domain.lifecycle import CAPACITY, OPEN_STATES, Capacity
from governor.domain.limits import Limit, charges_for
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction


def count_exposure(tx: Transaction, limit: Limit) -> None:
    """Book what is open, and what succeeded within the present window, as if the limit had been there.

    Open requests count in today's window, whenever they were made: their money can still leave today.
    """
    since = limit.span_at(tx.now).since
    exposed = tx.exposed_since(since)
    for request in exposed:
        _take(tx, request, limit)
    for refund in tx.external_since(since):
        if refund.happened_under(tx.here):
            charges = refund.charges(tx.here.name, (limit,), max(refund.happened_at, since))
            tx.take(refund.id, charges, moved_minor=refund.moved_minor)
    tx.flush()
    _ask_proof(tx, limit, [one for one in exposed if one.state in OPEN_STATES])


def count_late_truth(tx: Transaction, before: RefundRequest, after: RefundRequest) -> None:
    """Book a request that takes room again (invariant 10) on the limits that came while it took none, too.

    On every other limit its holds are carried in the counters where they were made.
    """
    if CAPACITY[before.state] is not Capacity.RELEASED or CAPACITY[after.state] is Capacity.RELEASED:
        return
    held = {hold.limit for hold in tx.holds(tx.here.name, after.id)}
    for limit in tx.active_limits():
        is_exposed = after.state in OPEN_STATES or after.created_at >= limit.span_at(tx.now).since
        if limit.id not in held and is_exposed:
            _take(tx, after, limit)


def _take(tx: Transaction, request: RefundRequest, limit: Limit) -> None:
    moved = request.moved_minor if CAPACITY[request.state] is Capacity.SETTLED else None
    at = max(request.created_at, limit.span_at(tx.now).since)
    charges = charges_for(request.subject, request.amount_minor, (limit,), at)
    tx.take(request.id, charges, moved_minor=moved)


def _ask_proof(tx: Transaction, limit: Limit, open_requests: Sequence[RefundRequest]) -> None:
    """Of every open request, also one whose call is under way: should that not be executed, it is queued again."""
    charges = {one.id: charges_for(one.subject, one.amount_minor, (limit,), tx.now) for one in open_requests}
    usage = tx.usage(tx.here.name, chain.from_iterable(charges.values()))
    late = [one for one in open_requests if any(over(charge, usage) for charge in charges[one.id])]
    tx.save_requests([replace(one, unproven=(*one.unproven, limit.id)) for one in late])
