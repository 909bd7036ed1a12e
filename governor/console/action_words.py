"""What rows of the audit trail are called: by the action that was written, and by what was decided or learnt."""

from __future__ import annotations

from collections.abc import Mapping

from governor.console.words import dotted
from governor.domain.approval import Choice
from governor.domain.outcome import Outcome

CHOICES: Mapping[Choice, tuple[str, str]] = {
    Choice.APPROVE: ("Approved", "success"),
    Choice.APPROVE_LESS: ("Approved in part", "success"),
    Choice.RETURN: ("Sent back with a question", "warning"),
    Choice.REJECT: ("Rejected", "danger"),
}
"""What an approver said, and its tone."""

OUTCOMES: Mapping[Outcome, tuple[str, str]] = {
    Outcome.ACCEPTED: ("Stripe has the refund", "success"),
    Outcome.REJECTED: ("Stripe refused it", "danger"),
    Outcome.NOT_EXECUTED: ("Proven not executed", "secondary"),
    Outcome.UNKNOWN: ("No proof of what happened", "warning"),
}
"""What was learnt, and its tone."""

ACTIONS: Mapping[str, str] = {
    "refund_request.admitted": "Asked for, and let in",
    "refund_request.denied": "Asked for, and denied",
    "refund_request.repeated": "A likely duplicate was asked for deliberately",
    "refund_request.returned": CHOICES[Choice.RETURN][0],
    "refund_request.answered": "The question was answered",
    "refund_request.nudged": "Its approvers were reminded",
    "refund_request.escalated": "An approver called for somebody else",
    "refund_request.expiring": "Soon expires undecided",
    "refund_request.expired": "Nobody decided in time",
    "refund_request.cancel_wished": "Somebody said that it is no longer wanted",
    "refund_request.canceled": "Canceled",
    "refund_request.claimed": "Taken up by a worker, to be sent",
    "refund_request.lease_lost": "The worker was lost: whether it was sent is not known",
    "refund_request.evidence": "Something was learnt of it",
    "refund_request.flagged": "An operator is asked to look at it",
    "refund_request.parked": "Waits until a limit that came later has room",
    "refund_request.capacity_proven": "Every limit of now has room for it",
    "refund_request.resolution_proposed": "One person said how it ended; a second has to say the same",
    "refund_request.resolved": "Two people said how it ended",
    "refund_request.resolution_contradicted": "Evidence says otherwise than people did",
    "hold.decided": "An approver decided",
    "hold.taken_back": "The approval was taken back: it waits again",
    "hold.facts_changed": "What approvers are shown has changed",
    "stand_in.named": "A stand-in was named",
    "stand_in.ended": "A stand-in was ended",
    "limit.created": "Limit made",
    "limit.changed": "Limit changed",
    "limit.change_proposed": "Change of a limit proposed",
    "limit.change_withdrawn": "Change of a limit withdrawn",
    "limit.archiving_proposed": "End of a limit proposed",
    "limit.archived": "Limit ended: it binds nobody any more",
    "limit.raised_by_requester": "A limit was used by whoever had raised it",
    "rule.created": "Rule made",
    "rule.changed": "Rule changed",
    "rule.archived": "Rule ended",
    "credential.created": "Key made or role granted",
    "credential.rotated": "Key given another secret",
    "credential.revoked": "Key or role revoked",
    "person.disabled": "Person disabled: they may do nothing",
    "person.enabled": "Person let in again",
    "environment.founded": "Environment founded",
    "environment.changed": "Settings changed",
    "environment.stopped": "Refunds stopped by themselves",
    "environment.fenced": "Refunds stopped: the database may have forgotten something",
    "environment.acknowledged": "A stop was acknowledged, and refunds go on",
    "freeze.began": "Refunds stopped",
    "freeze.repeated": "Refunds stopped, though they were already",
    "freeze.end_proposed": "End of a stop proposed",
    "freeze.ended": "Stop ended: refunds go on",
    "external_refund.noticed": "A refund made elsewhere was noticed",
    "external_refund.moved": "A refund made elsewhere changed",
    "external_refund.handed_over": "A refund taken for one made elsewhere was found to be a request's",
    "permission.refused": "Tried, and refused: not theirs to do",
    "endpoint.created": "Endpoint made",
    "endpoint.rotated": "Endpoint given another secret",
    "endpoint.enabled": "Endpoint enabled",
    "endpoint.disabled": "Endpoint disabled",
    "endpoint.deleted": "Endpoint deleted",
    "endpoint.tested": "Endpoint tested",
    "endpoint.replayed": "A message carried again",
    "run.asked": "Long work asked for",
    "run.cancel_requested": "Long work stopped by somebody",
    "run.ended": "Long work ended",
}
"""Every action that is written, as people read it where nothing more is known of the row."""


def action(word: str) -> str:
    """An action of the trail as people read it; one that was written by a later release, by its own words."""
    return ACTIONS.get(word) or dotted(word)
