"""Proving, when a request is claimed, that it fits under limits that came later (governor.domain.late_limits)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.environments import Mode
from governor.domain.late_limits import (
    LOOK_AGAIN,
    NEEDS_CAPACITY,
    POLICY,
    POLICY_ENFORCED,
    LateLimits,
    without_room,
)
from governor.domain.limits import Charge, charges_for
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction
from governor.usecases.cancel_unsent import cancel_unsent

WOKEN_AT_ONCE = 1000
"""How many parked requests are looked at again at once when an operator makes room; the others come by time."""


def fitting(tx: Transaction, due: Sequence[RefundRequest]) -> list[RefundRequest]:
    """Those that may be sent, proven by now; the others are parked where they are, or refused, as the rule says.

    What only observe mode let past rules and approvers is canceled: nobody has decided it, and no room decides it.
    """
    asked = [] if tx.here.mode is Mode.OBSERVE else sorted(filter(_unproven, due), key=lambda one: one.id)
    if not asked:
        return list(due)
    for request in filter(_undecided, asked):
        cancel_unsent(tx, request, POLICY_ENFORCED)
    proven = _prove(tx, [one for one in asked if not _undecided(one)])
    return [proven.get(one.id, one) for one in due if one.id in proven or one not in asked]


def _unproven(request: RefundRequest) -> bool:
    return bool(request.unproven)


def _undecided(request: RefundRequest) -> bool:
    return POLICY in request.unproven


def _prove(tx: Transaction, asked: Sequence[RefundRequest]) -> dict[str, RefundRequest]:
    """Look at each, oldest first; returns those that fit. What one proves is no longer there for the next."""
    limits = tx.active_limits()
    charges = {one.id: charges_for(one.subject, one.amount_minor, limits, tx.now) for one in asked}
    everything = list(chain.from_iterable(charges.values()))
    usage, waiting = tx.usage(tx.here.name, everything), tx.unproven_exposure(everything)
    proven: dict[str, RefundRequest] = {}
    for request in asked:
        full = without_room(request.unproven, charges[request.id], usage, waiting)
        if full:
            _park(tx, request, full)
            continue
        late = _late(request, charges[request.id])
        for charge in late:
            waiting[charge.key] -= charge.amount
        proven[request.id] = _fits(tx, request, late)
    tx.save_requests(list(proven.values()))
    return proven


def _late(request: RefundRequest, charges: Iterable[Charge]) -> list[Charge]:
    return [one for one in charges if one.counted and one.limit.id in request.unproven]


def _fits(tx: Transaction, request: RefundRequest, late: Sequence[Charge]) -> RefundRequest:
    """Its holds are as good as any from now on, in the window that it is sent in."""
    tx.rebook(request.id, late)
    told = {"limits": list(request.unproven)}
    tx.append_audit([Entry("governor", "refund_request.capacity_proven", request.id, told)])
    return replace(request, unproven=(), last_reason=None, updated_at=tx.now)


def _park(tx: Transaction, request: RefundRequest, full: Sequence[str]) -> None:
    """Held and not sent, until there is room; or canceled with what it holds, where the environment says so."""
    if tx.here.late_limits is LateLimits.REFUSE:
        cancel_unsent(tx, request, NEEDS_CAPACITY, {"limits": list(full)})
        return
    if not request.parked:
        told = {"limits": list(full), "why": NEEDS_CAPACITY}
        tx.append_audit([Entry("governor", "refund_request.parked", request.id, told)])
    parked = replace(
        request,
        due_at=tx.now + LOOK_AGAIN,
        last_reason=NEEDS_CAPACITY,
        next_action=NextAction.WAIT,
        updated_at=request.updated_at if request.parked else tx.now,
    )
    tx.save_requests([parked])


def wake_parked(tx: Transaction) -> None:
    """There may be room now: what is parked is looked at again at once, oldest first."""
    parked = [replace(one, due_at=tx.now) for one in tx.parked(at_most=WOKEN_AT_ONCE)]
    if parked:
        tx.save_requests(parked)
        # One ring is enough: a worker drains whatever is due in the environment.
        tx.enqueue([(parked[0].id, tx.now)])
