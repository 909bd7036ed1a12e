"""Every code this surface can answer with, its status and its title: the one registry (API.md "Problems")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from governor.domain.admission import NextAction
from governor.domain.errors import GovernorError, Invalid, InvariantBroken, Unavailable
from governor.domain.redaction import masked

TYPE_BASE = "https://governor.example/problems/"
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Problem:
    """One kind of answer that is no success. `title` never changes; `next_action` is what it leaves to do."""

    status: int
    title: str
    next_action: NextAction = NextAction.DO_NOT_RETRY

    @property
    def retryable(self) -> bool:
        """Whether exactly the same request, under the same key, may be sent again."""
        return self.next_action is NextAction.WAIT


_WAIT = NextAction.WAIT

PROBLEMS: Mapping[str, Problem] = MappingProxyType(
    {
        # The request cannot be read.
        "malformed_json": Problem(400, "The body is not one unambiguous JSON object"),
        "idempotency_key_missing": Problem(400, "The Idempotency-Key header is missing"),
        "idempotency_key_malformed": Problem(400, "The Idempotency-Key header cannot be used"),
        "query_invalid": Problem(400, "A query parameter cannot be used"),
        "cursor_invalid": Problem(400, "The cursor is not one of this list"),
        "target_malformed": Problem(400, "The request target is not a path"),
        "host_not_trusted": Problem(400, "The host name is not served here"),
        "bad_request": Problem(400, "The request cannot be read"),
        "webhook_unreadable": Problem(400, "The webhook is not one event"),
        "webhook_signature": Problem(400, "The webhook's signature does not hold"),
        "method_not_allowed": Problem(405, "The method is not allowed here"),
        "not_acceptable": Problem(406, "No acceptable form of the answer exists"),
        "body_too_large": Problem(413, "The body is too large"),
        "batch_too_large": Problem(413, "The batch has too many lines"),
        "unsupported_media_type": Problem(415, "The body is not plain application/json"),
        # Who asks, and whether they may.
        "credential_missing": Problem(401, "No key was sent"),
        "credential_invalid": Problem(401, "The key is not valid"),
        "session_over": Problem(401, "The session is over"),
        "sign_in_failed": Problem(401, "Signing in failed"),
        "identity_refused": Problem(401, "The identity provider's answer cannot be used"),
        "code_required": Problem(401, "A one-time code is needed"),
        "rate_limited": Problem(429, "The key calls too often", _WAIT),
        "too_many_tries": Problem(429, "Too many tries went wrong", _WAIT),
        "confirmation_needed": Problem(403, "The person has to prove again who they are"),
        "identity_unknown": Problem(403, "Nobody here has this identity"),
        "own_membership": Problem(403, "Nobody grants anything to themselves"),
        "role_not_allowed": Problem(403, "The role of this credential may not do this"),
        "wider_than_parent": Problem(403, "A child can do no more than its parent"),
        "credential_superseded": Problem(403, "The secret was replaced by another"),
        "credential_not_yours": Problem(403, "The secret is for somebody else to know"),
        "above_own_limit": Problem(403, "This is more than the approver may approve"),
        "not_asked": Problem(403, "The rules ask other people"),
        "self_approval": Problem(403, "Nobody decides a request of their own"),
        "self_resolution": Problem(403, "Nobody resolves a refund that they asked for"),
        "resolution_needs_human": Problem(403, "Only people say what nobody could know"),
        "duplicate_needs_human": Problem(403, "Only a human may repeat a refund deliberately"),
        "not_yours": Problem(403, "The refund request is another agent's"),
        "unfreeze_needs_human": Problem(403, "Only people let provider writes go on"),
        "raise_needs_human": Problem(403, "Only people confirm that more is allowed"),
        "live_mode_refused": Problem(403, "Live payments are refused"),
        # What is named does not exist, or not for this caller.
        "not_found": Problem(404, "There is nothing here"),
        "payment_not_found": Problem(404, "There is no such payment"),
        "refund_request_not_found": Problem(404, "There is no such refund request"),
        "stand_in_not_found": Problem(404, "There is no such stand-in"),
        "hold_not_found": Problem(404, "There is no such hold"),
        "rule_not_found": Problem(404, "There is no such rule"),
        "limit_not_found": Problem(404, "There is no such limit"),
        "limit_change_not_found": Problem(404, "The limit has no such change"),
        "credential_not_found": Problem(404, "There is no such credential"),
        "session_not_found": Problem(404, "There is no such session"),
        "person_not_found": Problem(404, "There is no such person"),
        "run_not_found": Problem(404, "There is no such run"),
        "freeze_not_found": Problem(404, "There is no such freeze"),
        "run_file_not_found": Problem(404, "The run has no such file"),
        "endpoint_not_found": Problem(404, "There is no such endpoint"),
        "delivery_not_found": Problem(404, "The endpoint was never told of such a message"),
        "environment_not_found": Problem(404, "There is no such environment"),
        # It contradicts what already stands.
        "currency_mismatch": Problem(409, "The payment is in another currency"),
        "refundable_mismatch": Problem(409, "Another amount is refundable than the caller believes"),
        "duplicate_needs_reason": Problem(409, "A deliberate repetition needs a reason"),
        "idempotency_in_flight": Problem(409, "The first request with this key is still running", _WAIT),
        "hold_changed": Problem(409, "The hold is not what the decision was made on"),
        "hold_expired": Problem(409, "Nobody decided in time"),
        "hold_already_decided": Problem(409, "The hold is decided already"),
        "answer_first": Problem(409, "A question of an approver waits for an answer"),
        "nudged_already": Problem(409, "Approvers were reminded less than an hour ago"),
        "stand_in_exists": Problem(409, "Somebody stands in at that time already"),
        "not_taken_back": Problem(409, "The approval cannot be taken back any more"),
        "nothing_asked": Problem(409, "No question waits for an answer"),
        "not_unknown": Problem(409, "The refund request is not in doubt"),
        "refund_seen": Problem(409, "The provider has shown a refund, which decides"),
        "second_person_needed": Problem(409, "A second, different person has to say the same"),
        "resolution_conflict": Problem(409, "Somebody else says that it ended otherwise"),
        "already_final": Problem(409, "The refund request is final"),
        "account_changed": Problem(409, "The provider key is another account's"),
        "environment_exists": Problem(409, "There is an environment of this name"),
        "not_stopped": Problem(409, "The environment is neither fenced, halted nor paused"),
        "sweep_needed": Problem(409, "The provider was not swept since the database changed", _WAIT),
        "credential_keyless": Problem(409, "No key opens a person's membership"),
        "totp_on": Problem(409, "One-time codes are switched on"),
        "totp_not_begun": Problem(409, "No authenticator was set up"),
        "identity_taken": Problem(409, "Somebody has this identity"),
        "login_taken": Problem(409, "Somebody has this login"),
        "membership_exists": Problem(409, "The person has this role here"),
        "person_disabled": Problem(409, "The person is disabled"),
        "credential_dead": Problem(409, "The key was revoked, or has expired"),
        "delegation_too_deep": Problem(409, "The chain of credentials is too long"),
        "too_many_children": Problem(409, "Too many credentials live below one"),
        "too_many_endpoints": Problem(409, "There are as many endpoints as there may be"),
        "mail_not_configured": Problem(409, "No mail server is set"),
        "endpoint_has_no_secret": Problem(409, "Messages to this kind of endpoint are not signed"),
        "endpoint_disabled": Problem(409, "The endpoint is disabled"),
        "too_many_rules": Problem(409, "Too many rules are in force"),
        "raises_need_two": Problem(
            409, "Only whoever operates the host lets one person do what takes two here"
        ),
        "limit_change_not_pending": Problem(409, "The change waits for nothing"),
        "limit_change_overtaken": Problem(409, "The limit was changed since the change was proposed"),
        "proposal_void": Problem(409, "Whoever has proposed it has lost that key since"),
        "withdrawal_raises": Problem(409, "Without the change more would be allowed"),
        "too_many_changes": Problem(409, "Too many changes of one limit are to come"),
        "not_frozen": Problem(409, "Nothing is frozen there"),
        "run_ended": Problem(409, "The run has ended"),
        "too_many_runs": Problem(409, "Too many runs of one person are not done yet", _WAIT),
        "revision_stale": Problem(412, "The object changed since it was read"),
        "precondition_failed": Problem(412, "If-Match is no strong ETag of this object"),
        "precondition_required": Problem(428, "The change must name the revision it is based on"),
        # A value cannot be used.
        "validation_failed": Problem(422, "A field cannot be used"),
        "period_empty": Problem(422, "A period ends after it begins"),
        "report_too_long": Problem(422, "A report has too many lines for one answer"),
        "result_too_large": Problem(422, "The result of a run is larger than is kept"),
        "limit_identity": Problem(422, "What a limit counts cannot change"),
        "idempotency_key_reused": Problem(422, "The key already names another intent"),
        # Denied: a recorded decision.
        "payment_not_refundable": Problem(403, "The payment cannot be refunded"),
        "payment_disputed": Problem(403, "The payment is disputed"),
        "possible_duplicate": Problem(403, "The same refund is open or was just made"),
        "amount_exceeds_refundable": Problem(403, "The payment does not have this much left to refund"),
        "no_limit": Problem(403, "No limit allows refunds here"),
        "limit_exceeded": Problem(403, "A limit has no room for this refund"),
        "policy_denied": Problem(403, "A rule denies this refund"),
        # Nothing was decided; the same key may be used again.
        "payment_facts_unavailable": Problem(503, "The provider could not be asked about the payment", _WAIT),
        "frozen": Problem(503, "Refunds are frozen here", _WAIT),
        "decision_not_recorded": Problem(503, "The decision could not be recorded", _WAIT),
        "event_not_recorded": Problem(503, "The event could not be recorded", _WAIT),
        "database_unavailable": Problem(503, "The database cannot be read", _WAIT),
        "identity_provider_unavailable": Problem(503, "The identity provider cannot be asked", _WAIT),
        "queue_unavailable": Problem(503, "The queue cannot be reached", _WAIT),
        "invariant_broken": Problem(500, "A promise of governor does not hold; an operator must look"),
        "internal_error": Problem(
            500, "An unexpected error; whether anything was decided is not known", _WAIT
        ),
    }
)
"""Code → what it means. Codes are the contract; new ones may come, none changes its meaning."""


def code_of(error: GovernorError) -> str:
    """The public code of an error: broken promises are one code, the detail is for the log."""
    return "invariant_broken" if isinstance(error, InvariantBroken) else error.code


def problem_document(code: str, detail: str, instance: str, request_id: str) -> dict[str, Any]:
    """The RFC 9457 document of a code.

    Raises:
        KeyError: the code is not registered, which a test of all raised codes rules out.
    """
    problem = PROBLEMS[code]
    return {
        "type": TYPE_BASE + code,
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        # Who pastes a secret into a path must not find it again in somebody's log of answers.
        "instance": masked(instance),
        "code": code,
        "request_id": request_id,
        "retryable": problem.retryable,
        "next_action": problem.next_action.value,
    }


def document_of(error: GovernorError, instance: str, request_id: str) -> dict[str, Any]:
    """The document of an error, with its own facts beside the fixed members and never instead of them."""
    code = code_of(error)
    if isinstance(error, InvariantBroken):
        return problem_document(code, PROBLEMS[code].title + ".", instance, request_id)
    document = problem_document(code, error.detail, instance, request_id)
    if isinstance(error, Invalid) and error.errors:
        document["errors"] = [vars(one) for one in error.errors]
    if isinstance(error, Unavailable):
        document["retry_after_seconds"] = error.retry_after_seconds
    return {**error.extra, **document}
