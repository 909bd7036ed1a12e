"""Holds that wait for people: what an approver is shown, who may decide, and when it is too late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from governor.domain.canonical import digest
from governor.domain.credentials import Credential
from governor.domain.duties import asked_for
from governor.domain.errors import Conflict, Forbidden
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest

DEFAULT_EXPIRY = timedelta(hours=72)
"""Nobody decided: the capacity is free again. 72 h, so that Friday's requests survive the weekend."""


class Choice(StrEnum):
    """What an approver can say."""

    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True)
class ApprovalHold:
    """A request that waits. `shown` is exactly what the approver sees; `version` rises when it changes."""

    id: str
    request: str
    state: State
    version: int
    quorum: int
    expires_at: datetime
    shown: dict[str, Any]
    approvals: frozenset[str]
    """The people who approved so far."""

    @property
    def digest(self) -> str:
        """What a decision must name: it binds the vote to everything that was shown."""
        return digest({"hold": self.id, "version": self.version, "shown": self.shown})


@dataclass(frozen=True)
class Vote:
    """One decision by one person, bound to what they saw."""

    choice: Choice
    credential: str
    person: str
    digest: str
    version: int
    reason: str | None


def refuse_approver(
    request: RefundRequest, requester: Sequence[Credential], chain: Sequence[Credential], choice: Choice
) -> None:
    """Refuse whoever asked for the refund, and an approval of more than the approver may approve.

    `requester` and `chain` are the credentials of the request and of the approver with their ancestors. Saying no
    is within everybody's limit.

    Raises:
        Forbidden: `self_approval` (invariant 14), `above_own_limit`.
    """
    if asked_for(request, requester, chain):
        raise Forbidden("self_approval", "Nobody decides a request of their own, with any of their keys.")
    if choice is Choice.APPROVE and not chain[0].may_approve(request.amount_minor, request.currency):
        raise Forbidden(
            "above_own_limit",
            "This is more than you may approve.",
            {"approve_up_to": (chain[0].approve_up_to or {}).get(request.currency, 0)},
        )


def refuse_vote(hold: ApprovalHold, vote: Vote, now: datetime) -> None:
    """Refuse a vote that must not count.

    Raises:
        Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`, each saying what stands now.
    """
    if hold.state is State.EXPIRED or (hold.state is State.PENDING_APPROVAL and now >= hold.expires_at):
        raise Conflict("hold_expired", "Nobody decided in time; nothing was sent. Submit the request again.")
    if hold.state is not State.PENDING_APPROVAL:
        raise Conflict(
            "hold_already_decided", f"The request is {hold.state} already.", {"state": hold.state.value}
        )
    if vote.person in hold.approvals:
        raise Conflict(
            "hold_already_decided", "You have decided this hold already.", {"state": hold.state.value}
        )
    if vote.digest != hold.digest or vote.version != hold.version:
        raise Conflict(
            "hold_changed",
            "What you saw is not what stands now; look again.",
            {"digest": hold.digest, "version": hold.version, "shown": hold.shown},
        )
