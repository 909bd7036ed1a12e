"""Canceling by rule what was not sent yet: nothing of it is sent, and what it holds is free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from governor.domain.admission import NextAction
from governor.domain.audit import Entry
from governor.domain.lifecycle import Event, move
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction


def cancel_unsent(
    tx: Transaction, request: RefundRequest, why: str, facts: Mapping[str, Any] | None = None
) -> None:
    """Cancel a request that was not sent yet, and give back what it holds. `why` is a short stable word."""
    after = replace(
        request,
        state=move(request.state, Event.CANCEL),
        updated_at=tx.now,
        next_action=NextAction.NONE,
        last_reason=why,
    )
    tx.carry(request, after)
    told = {"why": why, "from": request.state.value, "to": after.state.value, **(facts or {})}
    tx.append_audit([Entry("governor", "refund_request.canceled", request.id, told)])
