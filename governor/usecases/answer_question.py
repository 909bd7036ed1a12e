"""Answering: whoever asked for a refund tells its approvers what they wanted to know."""

from __future__ import annotations

from dataclasses import dataclass

from governor.checkpoint import checkpoint
from governor.domain.approval import refuse_closed
from governor.domain.canonical import digest
from governor.domain.credentials import Role
from governor.domain.errors import NotFound
from governor.domain.hold_versions import answered, refuse_stranger
from governor.domain.words import check_words
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.holds import hold_of, save_hold
from governor.usecases.operations import earlier, remember
from governor.usecases.replay import Answer


@dataclass(frozen=True)
class AnswerQuestion:
    """The requester's answer, which makes a new version of the hold: its approvers look again."""

    store: UnitOfWork

    def __call__(self, caller: Caller, request_id: str, text: str, key: str) -> Answer:
        """The request, which waits for its approvers again. Its time to be decided stays what it was.

        Raises:
            Invalid: about `/text`. NotFound: `refund_request_not_found`.
            Forbidden: `role_not_allowed`, `not_yours`.
            Conflict: `nothing_asked`, `hold_already_decided`, `hold_expired`.
        """
        check_words("/text", text)
        asked, scope = {"answer": request_id, "text": text}, f"answer:{caller.credential.id}"
        with self.store.environment(caller.environment) as tx:
            request = tx.request(tx.here.name, request_id)
            if request is None:
                raise NotFound("refund_request_not_found", "There is no such refund request.")
            requester = rights(tx, caller, Role.AGENT)[0]
            refuse_stranger(request, requester)
            if earlier(tx, scope, key, asked) is not None:
                return Answer(request, replayed=True)
            refuse_closed(hold_of(tx, request), tx.now)
            after = answered(request, requester.owner, text, tx.now)
            save_hold(tx, request, after)
            checkpoint("answer.saved")
            told = {"hold": request.hold, "version": after.hold_version, "text_digest": digest(text)}
            tx.append_audit([caller.entry("refund_request.answered", request_id, told)])
            remember(tx, scope, key, asked, request_id)
        checkpoint("answer.committed")
        return Answer(after, replayed=False)
