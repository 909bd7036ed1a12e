"""Requests of credentials that are dead: nothing of them is sent, and what they hold is free (invariants 2 and 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.credentials import Credential, alive
from governor.domain.lifecycle import Event, move
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction

AT_ONCE = 200
"""How many are read at a time."""


def chains_of(tx: Transaction, requests: Sequence[RefundRequest]) -> dict[str, tuple[Credential, ...]]:
    """Per requester: its credential and its ancestors as they stand now, itself first."""
    return tx.credential_chains(tx.here.name, {one.requested_by for one in requests}) if requests else {}


def still_wanted(tx: Transaction, due: Sequence[RefundRequest]) -> list[RefundRequest]:
    """Those that may be sent; a queued request of a dead credential is canceled instead."""
    chains = chains_of(tx, due)
    wanted: list[RefundRequest] = []
    for request in due:
        if alive(chains.get(request.requested_by, ()), tx.now):
            wanted.append(request)
        else:
            release_dead(tx, request)
    return wanted


def release_dead(tx: Transaction, request: RefundRequest) -> None:
    """Cancel a request that was not sent yet, and give back what it holds."""
    after = replace(
        request,
        state=move(request.state, Event.CANCEL),
        updated_at=tx.now,
        next_action=NextAction.NONE,
        last_reason="credential_dead",
    )
    tx.carry(request, after)
    told = {"why": "credential_dead", "from": request.state.value, "to": after.state.value}
    tx.append_audit([Entry("governor", "refund_request.canceled", request.id, told)])


def release_all_of(tx: Transaction, credential_id: str) -> int:
    """Cancel whatever a credential and all below it have asked for and is not sent yet; returns how many.

    All of it, however much: the room that a runaway agent took is free at once.
    """
    released = 0
    while waiting := tx.not_sent_of(credential_id, at_most=AT_ONCE):
        for request in waiting:
            release_dead(tx, request)
        released += len(waiting)
    return released
