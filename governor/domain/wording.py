"""Messages in words, for Slack and e-mail. They lead to where people decide, and decide nothing themselves.

No customer, no note, no case: whoever may know those looks them up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from governor.domain.lifecycle import State
from governor.domain.messages import Message
from governor.domain.money import Money, amount_text
from governor.domain.requests import RefundRequest

SAYS: Mapping[str, str] = {
    "refund_request.denied": "was denied",
    "refund_request.held": "waits for approval",
    "refund_request.queued": "is on its way",
    "refund_request.unknown": "is in doubt: it may have left, and nobody knows",
    "refund_request.provider_pending": "is pending at Stripe",
    "refund_request.succeeded": "succeeded",
    "refund_request.failed": "failed: no money left",
    "refund_request.reversed": "was reversed: the money came back",
    "refund_request.rejected": "was rejected by an approver",
    "refund_request.expired": "expired: nobody decided in time",
    "refund_request.canceled": "was canceled",
    "refund_request.overrun": "overran: more left than was reserved, and refunds are halted",
    "refund_request.returned": "came back with a question of an approver",
    "refund_request.answered": "has got its answer and waits for approval again",
    "refund_request.nudged": "still waits for approval, says whoever asked for it",
    "refund_request.expiring": "still waits for approval, and expires soon",
    "refund_request.escalated": "still waits for approval, and an approver calls for somebody else",
    "refund_request.flagged": "is in doubt for long: an operator must look",
    "refund_request.parked": "waits for room on a limit that came after it",
    "refund_request.cancel_wished": "is no longer wanted, and may have left already",
    "refund_request.resolution_contradicted": "ended otherwise than two people said",
    "limit.created": "was created",
    "limit.changed": "was changed",
    "limit.archived": "was archived",
    "limit.change_proposed": "may allow more, once another person confirms it",
    "limit.change_withdrawn": "will not change as was said",
    "limit.raised_by_requester": "was used by whoever had raised it",
    "limit.archiving_proposed": "may be archived, once another person confirms it",
    "rule.created": "was created",
    "rule.changed": "was changed",
    "rule.archived": "was archived",
    "freeze.began": "began: refunds are stopped",
    "freeze.end_proposed": "shall end, says the first of two people",
    "freeze.ended": "ended: refunds go on",
    "environment.changed": "was changed",
    "environment.acknowledged": "goes on: an operator has acknowledged what stopped it",
    "environment.fenced": "waits: its database was replaced by another",
    "environment.stopped": "has stopped its refunds",
    "credential.created": "was created",
    "credential.rotated": "got another secret",
    "credential.revoked": "was revoked",
    "external_refund.noticed": "was made past governor",
    "endpoint.created": "was created",
    "endpoint.rotated": "got another secret",
    "endpoint.disabled": "was disabled: it takes no messages",
    "endpoint.enabled": "gets messages again",
    "endpoint.deleted": "was deleted",
    "endpoint.tested": "is being tested: this is only a test",
}
"""Type of message → what is said of its object."""

_NOUNS = {"refund_request": "Refund", "external_refund": "Refund"}


@dataclass(frozen=True)
class Words:
    """A message for people: one line, and the text below it."""

    subject: str
    text: str


def worded(message: Message, request: RefundRequest | None, console_url: str | None) -> Words:
    """A message in words; `request` is the refund request that it is about, if it is about one.

    `console_url` is where the console is reached; without it there are no links.
    """
    kind = message.type.partition(".")[0]
    noun = _NOUNS.get(kind, kind.capitalize())
    about = f"{noun} {message.object}"
    if request is not None:
        about += f" of {amount_text(Money(request.amount_minor, request.currency))}"
    subject = f"{about} {SAYS.get(message.type, message.type)}"
    lines = [f"{subject}.", f"Environment {message.environment}, {message.at:%Y-%m-%d %H:%M:%S} UTC."]
    if request is not None:
        lines.append(f"Payment {request.payment}, asked for by {request.requested_by}.")
    if request is not None and request.hold is not None and request.state is State.PENDING_APPROVAL:
        lines.append(f"Hold {request.hold}.")
    link = _link(message, request, console_url)
    return Words(subject, "\n".join(lines + ([link] if link else [])) + "\n")


def _link(message: Message, request: RefundRequest | None, console_url: str | None) -> str | None:
    """Where people look and decide after signing in. Nothing in it opens anything."""
    if console_url is None or request is None or request.hold is None:
        return None
    return f"{console_url.rstrip('/')}/console/e/{message.environment}/holds/{request.hold}"
