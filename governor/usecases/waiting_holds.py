"""Holds that wait, as an approver sees them in the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from governor.domain.approval import ApprovalHold
from governor.domain.approval_facts import warnings_in
from governor.domain.attention import NOBODY, Attention
from governor.domain.hold_versions import asks_now
from governor.domain.lifecycle import State
from governor.domain.quorum import Need
from governor.domain.requests import RefundRequest
from governor.domain.several import held_by
from governor.domain.stand_ins import Acting
from governor.usecases.callers import Caller


@dataclass(frozen=True)
class Waiting:
    """A request that waits, with its hold. `why_not` is the code of why this approver cannot approve it."""

    request: RefundRequest
    hold: ApprovalHold
    why_not: str | None
    attention: Attention
    left: tuple[Need, ...]
    """What is still asked for once this approver has approved it as it stands; of who cannot, what is asked for without it."""

    asked_by_me: bool = False
    """Whether this approver has sent it back with a question that is not answered yet."""

    @property
    def for_me(self) -> bool:
        """Whether it waits for this approver, who has not snoozed it, and not for an answer to them."""
        return self.why_not is None and self.attention.snoozed_until is None and not self.asked_by_me

    def rank(self, now: datetime) -> tuple[bool, int, timedelta]:
        """Where it stands in the queue, the highest first: what was escalated, then by risk, then what ends sooner."""
        return bool(self.attention.escalations), self.risk(now), now - self.hold.expires_at

    def risk(self, now: datetime) -> int:
        """How much it matters to look at it now: reasons to ask people × minor units × lateness, which is 1 to 2.

        A reason is a rule or limit that asks for the approval, or what its payment shows against it.
        """
        reasons = len(held_by(self.request)) + len(warnings_in(self.hold.shown))
        left = max(timedelta(0), self.hold.expires_at - now)
        whole = max(timedelta(seconds=1), self.hold.expires_at - self.request.created_at)
        return max(1, reasons) * self.request.amount_minor * (2 * whole - min(left, whole)) // whole


@dataclass(frozen=True)
class Queue:
    """What waits, what was escalated and then the riskiest first.

    Where more wait than a desk shows, the rest of them end at `rest_ends_at` (UTC) or later; else it is None.
    """

    lines: tuple[Waiting, ...]
    rest_ends_at: datetime | None

    @property
    def whole(self) -> bool:
        """Whether no more wait."""
        return self.rest_ends_at is None

    def after(self, one: Waiting, now: datetime) -> Waiting | None:
        """What this approver comes to after a hold that waits or has left the queue; after the last, the first."""
        stood = one
        if one.request.state is not State.PENDING_APPROVAL:
            as_asked = replace(one.request, amount_minor=one.request.asked_amount_minor)
            stood = replace(one, request=as_asked)
        others = [other for other in self.lines if other.for_me and other.hold.id != one.hold.id]
        after = (other for other in others if other.rank(now) <= stood.rank(now))
        return next(after, others[0] if others else None)


def looked_at(
    caller: Caller,
    request: RefundRequest,
    hold: ApprovalHold,
    why: str | None,
    acting: Acting,
    said: Mapping[str, Attention],
) -> Waiting:
    """A hold as this caller sees it; `why` they cannot approve it, for whom they are `acting`, what is `said` of which hold."""
    places = acting.instead_of(request.amount_minor, request.currency)
    left = hold.still_asked if why else hold.asked_after(caller.credential.owner, places)
    asked_by_me = asks_now(request) == caller.credential.owner
    return Waiting(request, hold, why, said.get(hold.id, NOBODY), left, asked_by_me)
