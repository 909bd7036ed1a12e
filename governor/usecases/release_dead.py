"""Requests of credentials that are dead: nothing of them is sent, and what they hold is free (invariants 2 and 13)."""

from __future__ import annotations

from collections.abc import Sequence

from governor.domain.credentials import Credential, alive
from governor.domain.requests import RefundRequest
from governor.ports.reads import Reads
from governor.ports.store import Transaction
from governor.usecases.cancel_unsent import cancel_unsent
from governor.usecases.fence_environment import keeps_all

DEAD = "credential_dead"

AT_ONCE = 200
"""How many are read at a time."""


def chains_of(
    reads: Reads, environment: str, requests: Sequence[RefundRequest]
) -> dict[str, tuple[Credential, ...]]:
    """Per requester: its credential and its ancestors as they stand now, itself first."""
    return reads.credential_chains(environment, {one.requested_by for one in requests}) if requests else {}


def still_wanted(tx: Transaction, due: Sequence[RefundRequest]) -> list[RefundRequest]:
    """Those that may be sent; a queued request of a dead credential is canceled instead."""
    chains = chains_of(tx, tx.here.name, due)
    wanted: list[RefundRequest] = []
    for request in due:
        if alive(chains.get(request.requested_by, ()), tx.now):
            wanted.append(request)
        else:
            cancel_unsent(tx, request, DEAD)
    return wanted


def release_all_of(tx: Transaction, credential_id: str) -> int:
    """Cancel whatever a credential and all below it have asked for and is not sent yet; returns how many.

    All of it, however much: the room that a runaway agent took is free at once. None while the environment is fenced;
    nothing of a dead credential is sent afterwards either.
    """
    if keeps_all(tx):
        return 0
    released = 0
    while waiting := tx.not_sent_of(credential_id, at_most=AT_ONCE):
        for request in waiting:
            cancel_unsent(tx, request, DEAD)
        released += len(waiting)
    return released
