"""Taking back the approval that decided, as long as no worker has claimed the request."""

from __future__ import annotations

from dataclasses import replace

from governor.checkpoint import checkpoint
from governor.domain.admission import NextAction
from governor.domain.approvers import refuse_taking_back
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.hold_versions import open_question, taken_back
from governor.domain.lifecycle import Event, move
from governor.domain.requests import RefundRequest
from governor.ports.store import Transaction
from governor.usecases.callers import Caller, rights
from governor.usecases.holds import save_hold
from governor.usecases.operations import earlier, remember


def take_back(tx: Transaction, caller: Caller, hold: str, key: str) -> RefundRequest:
    """The request waits for its approvers again, all of them, and holds its capacity as before.

    Whoever claims requests stands in the same line of the environment: either they come first, and this is refused,
    or they find nothing to claim. The time to decide goes on as if nothing had been approved.

    Raises:
        NotFound: `hold_not_found`. Forbidden: `role_not_allowed`. Conflict: `not_taken_back`.
    """
    asked, scope = {"hold": hold}, f"take_back:{caller.credential.id}"
    request = tx.request_by_hold(tx.here.name, hold)
    if request is None or request.quorum == 0:
        raise NotFound("hold_not_found", "There is no such hold.")
    person = rights(tx, caller, Role.APPROVER)[0].owner
    if earlier(tx, scope, key, asked) is not None:
        return request
    refuse_taking_back(request, [vote for vote, _ in tx.votes(tx.here.name, hold)], person)
    after = _waiting_again(tx, request, person)
    save_hold(tx, request, after)
    told = {
        "hold": hold,
        "version": after.hold_version,
        "from": request.state.value,
        "to": after.state.value,
    }
    tx.append_audit([caller.entry("hold.taken_back", request.id, told)])
    remember(tx, scope, key, asked, hold)
    checkpoint("take_back.saved")
    return after


def _waiting_again(tx: Transaction, request: RefundRequest, person: str) -> RefundRequest:
    anew = replace(taken_back(request, person, tx.now), due_at=None)
    asks = NextAction.ASK_APPROVER if open_question(anew) is None else NextAction.ANSWER_QUESTION
    return replace(anew, state=move(request.state, Event.TAKE_BACK), next_action=asks)
