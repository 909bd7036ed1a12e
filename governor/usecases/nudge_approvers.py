"""Nudging: whoever asked for a refund reminds its approvers, at most once an hour."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.approval import refuse_closed
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, NotFound
from governor.domain.hold_versions import open_question, refuse_stranger
from governor.domain.nudges import refuse_soon
from governor.ports.attention import Attentions
from governor.ports.records import TrailFilter
from governor.ports.store import Transaction
from governor.usecases.callers import Caller, rights
from governor.usecases.holds import hold_of
from governor.usecases.operations import earlier, remember
from governor.usecases.replay import Answer

_ACTION = "refund_request.nudged"
"""The row of the trail that is a nudge: it is the message, and the memory of when the last one was."""


@dataclass(frozen=True)
class NudgeApprovers:
    """A reminder, which goes out as a message and stands in the inbox of approvers, also of those who had snoozed it.

    When the last one was is read from the trail behind the environment's line, so two at once are one.
    """

    attentions: Attentions

    def __call__(self, caller: Caller, request_id: str, key: str) -> Answer:
        """The request, which waits as before.

        Raises:
            NotFound: `refund_request_not_found`. Forbidden: `role_not_allowed`, `not_yours`.
            Conflict: `hold_already_decided`, `hold_expired`, `answer_first`, `nudged_already`.
        """
        asked, scope = {"nudge": request_id}, f"nudge:{caller.credential.id}"
        with self.attentions.environment(caller.environment) as tx:
            request = tx.request(tx.here.name, request_id)
            if request is None:
                raise NotFound("refund_request_not_found", "There is no such refund request.")
            refuse_stranger(request, rights(tx, caller, Role.AGENT)[0])
            if earlier(tx, scope, key, asked) is not None:
                return Answer(request, replayed=True)
            refuse_closed(hold_of(tx, request), tx.now)
            if open_question(request) is not None:
                raise Conflict("answer_first", "An approver has asked something and waits for the answer.")
            _refuse_soon(tx, request_id)
            tx.append_audit([caller.entry(_ACTION, request_id, {"hold": request.hold})])
            tx.wake_all(request.hold or "")
            remember(tx, scope, key, asked, request_id)
        return Answer(request, replayed=False)


def _refuse_soon(tx: Transaction, request_id: str) -> None:
    chosen = TrailFilter(objects=(request_id,), actions=(_ACTION,))
    last = tx.audit_end(tx.here.name, after=0, at_most=1, chosen=chosen)
    refuse_soon(last[0].at if last else None, tx.now)
