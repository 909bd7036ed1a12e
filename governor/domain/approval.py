"""Holds that wait for people: what an approver is shown, who may decide, and when it is too late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from governor.domain.canonical import digest
from governor.domain.errors import Conflict, Forbidden
from governor.domain.lifecycle import State

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
    requester: str
    requester_person: str
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


def refuse_vote(hold: ApprovalHold, vote: Vote, now: datetime) -> None:
    """Refuse a vote that must not count.

    Raises:
        Forbidden: `self_approval` by the requester or the same person (invariant 14).
        Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`, each saying what stands now.
    """
    if vote.credential == hold.requester or vote.person == hold.requester_person:
        raise Forbidden("self_approval", "Nobody decides a request of their own, with any of their keys.")
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
