"""Cancelling: before dispatch it stops the request; afterwards it is a recorded wish (invariant 16)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, NotFound
from governor.domain.hold_versions import refuse_stranger
from governor.domain.lifecycle import CANCEL_STOPS, OPEN_STATES, Event, move
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.fence_environment import keeps_all
from governor.usecases.operations import earlier, remember
from governor.usecases.replay import Answer


@dataclass(frozen=True)
class CancelRefund:
    """Stop a refund request, or record that it is no longer wanted."""

    store: UnitOfWork

    def __call__(self, caller: Caller, request_id: str, key: str) -> Answer:
        """The request as it stands after the wish.

        Raises:
            NotFound: `refund_request_not_found`.
            Forbidden: `role_not_allowed`; `not_yours` for an agent that neither asked for it nor delegated.
            Conflict: `already_final`.
        """
        asked, scope = {"cancel": request_id}, f"cancel:{caller.credential.id}"
        checkpoint("cancel.before_tx")
        with self.store.environment(caller.environment) as tx:
            request = tx.request(tx.here.name, request_id)
            if request is None:
                raise NotFound("refund_request_not_found", "There is no such refund request.")
            chain = rights(tx, caller, Role.AGENT, Role.OPERATOR)
            if chain[0].role is Role.AGENT:
                refuse_stranger(request, chain[0])
            if earlier(tx, scope, key, asked) is not None:
                return Answer(request, replayed=True)
            after = _canceled(tx, caller, request)
            remember(tx, scope, key, asked, request_id)
        checkpoint("cancel.committed")
        return Answer(after, replayed=False)


def _canceled(tx: Transaction, caller: Caller, request: RefundRequest) -> RefundRequest:
    if request.state not in OPEN_STATES:
        raise Conflict(
            "already_final", f"The request is {request.state} already.", {"state": request.state.value}
        )
    # While the environment is fenced it may have been sent and forgotten: then this is a wish, too.
    stops = request.state in CANCEL_STOPS and not keeps_all(tx)
    after = replace(
        request,
        state=move(request.state, Event.CANCEL) if stops else request.state,
        cancel_requested_at=request.cancel_requested_at or tx.now,
        updated_at=tx.now,
        next_action=NextAction.NONE if stops else request.next_action,
    )
    tx.carry(request, after)
    checkpoint("cancel.carried")
    action = "refund_request.canceled" if stops else "refund_request.cancel_wished"
    facts = {"from": request.state.value, "to": after.state.value}
    tx.append_audit([caller.entry(action, request.id, facts)])
    return after
