"""Holds that wait for people: what an approver is shown, who may decide, and when it is too late."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from governor.domain.canonical import digest
from governor.domain.errors import Conflict, invalid
from governor.domain.lifecycle import State
from governor.domain.money import refundable_amount
from governor.domain.quorum import Need, needs_in, still_asked
from governor.domain.requests import RefundRequest
from governor.domain.words import check_words

DEFAULT_EXPIRY = timedelta(hours=72)
"""Nobody decided: the capacity is free again. 72 h, so that Friday's requests survive the weekend."""

WARNED_BEFORE = 4
"""People are told when a quarter of the time is left: of three days enough for another working day."""


class Choice(StrEnum):
    """What an approver can say."""

    APPROVE = "approve"
    APPROVE_LESS = "approve_less"
    RETURN = "return"
    REJECT = "reject"


APPROVING = frozenset({Choice.APPROVE, Choice.APPROVE_LESS})
"""Saying yes, to what was shown or to less of it. The others need a reason: whoever asked has to know why."""

_MISSING = {Choice.REJECT: "Say why you reject it.", Choice.RETURN: "Say what you want to know."}

GIVING_BACK = frozenset({Choice.APPROVE_LESS, Choice.REJECT})
"""What makes capacity free."""


@dataclass(frozen=True)
class ApprovalHold:
    """A request that waits. `shown` is exactly what the approver sees; `version` rises when it changes."""

    id: str
    request: str
    state: State
    version: int
    quorum: int
    expires_at: datetime
    shown: Mapping[str, Any]
    approvals: frozenset[str]
    """The people who have approved what stands: an approval of an earlier version does not count for it."""
    approved_with: frozenset[str] = frozenset()
    """The credentials that they did it with."""
    instead_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """In whose places each of them did it beside their own (governor.domain.stand_ins)."""

    @cached_property
    def digest(self) -> str:
        """What a decision must name: it binds the vote to everything that was shown."""
        return hold_digest(self.id, self.version, self.shown)

    @property
    def needs(self) -> tuple[Need, ...]:
        """Whom it asks, as it was frozen when the hold began."""
        return needs_in(self.shown, self.quorum)

    def names(self, person: str) -> bool:
        """Whether a rule asks for this person by name."""
        return any(person in (need.approvers or ()) for need in self.needs)

    @property
    def still_asked(self) -> tuple[Need, ...]:
        """What its needs still ask for; none when everybody who is asked has approved what stands, or their stand-in."""
        return still_asked(self.needs, self._approved)

    def asked_after(self, person: str, places: Collection[str] = ()) -> tuple[Need, ...]:
        """What they would still ask for if this person approved as well, in these places beside their own."""
        return still_asked(self.needs, {**self._approved, person: places})

    @property
    def _approved(self) -> dict[str, Collection[str]]:
        return {person: self.instead_of.get(person, ()) for person in self.approvals}


def hold_digest(hold: str, version: int, shown: Mapping[str, Any]) -> str:
    """The digest over one version of a hold."""
    return digest({"hold": hold, "version": version, "shown": dict(shown)})


@dataclass(frozen=True)
class Ballot:
    """What one person says of a hold, bound to what they saw. `amount_minor` is what APPROVE_LESS allows.

    `typed_minor`: the whole amount, as they have typed it where that is asked for (governor.domain.care).
    """

    choice: Choice
    digest: str
    version: int
    reason: str | None = None
    amount_minor: int | None = None
    typed_minor: int | None = None


@dataclass(frozen=True)
class Vote:
    """One person's ballot as it was counted.

    `approves` is the digest of the version that it approves (APPROVE_LESS makes that version itself) and `amount_minor`
    how much of it: both None for a vote that approves nothing.
    """

    choice: Choice
    credential: str
    person: str
    digest: str
    version: int
    reason: str | None
    approves: str | None = None
    amount_minor: int | None = None
    instead_of: tuple[str, ...] = ()
    """In whose places they approved beside their own (governor.domain.stand_ins)."""


def check_ballot(ballot: Ballot) -> None:
    """Refuse a ballot that says too little or too much.

    Raises:
        Invalid: about `/reason` or `/amount`.
    """
    if ballot.reason is None and ballot.choice not in APPROVING:
        raise invalid("/reason", "words_missing", f"{_MISSING[ballot.choice]} Whoever asked reads it.")
    if ballot.reason is not None:
        check_words("/reason", ballot.reason)
    if ballot.choice is Choice.APPROVE_LESS and ballot.amount_minor is None:
        raise invalid("/amount", "amount_unfit", "Say how much you approve.")
    if ballot.choice is not Choice.APPROVE_LESS and ballot.amount_minor is not None:
        raise invalid("/amount", "amount_unfit", "An amount is for approving less. Leave it out here.")


def refuse_closed(hold: ApprovalHold, now: datetime) -> None:
    """Refuse whatever comes after the decision, or after its time.

    Raises:
        Conflict: `hold_expired`, `hold_already_decided`.
    """
    if hold.state is State.EXPIRED or (hold.state is State.PENDING_APPROVAL and now >= hold.expires_at):
        raise Conflict("hold_expired", "Nobody decided in time; nothing was sent. Submit the request again.")
    if hold.state is not State.PENDING_APPROVAL:
        raise _decided(hold, f"It is decided already: the request is {hold.state}.")


def refuse_vote(
    hold: ApprovalHold, ballot: Ballot, person: str, now: datetime, earlier: Mapping[str, Any] | None = None
) -> None:
    """Refuse a vote that must not count. `earlier` is what the ballot's version showed, where that is another one.

    Who has approved may still say no: a second look is always heard. They cannot approve twice.

    Raises:
        Conflict: `hold_already_decided`, `hold_expired`, `hold_changed`, each saying what stands now.
    """
    refuse_closed(hold, now)
    if person in hold.approvals and ballot.choice in APPROVING:
        raise _decided(hold, "You have approved this already.")
    if ballot.digest != hold.digest or ballot.version != hold.version:
        raise hold_changed(hold, earlier)


def refuse_amount(request: RefundRequest, ballot: Ballot) -> None:
    """Refuse an amount that is not less than what is asked, or that is none in this currency.

    Raises:
        Invalid: about `/amount`.
    """
    if ballot.amount_minor is None:
        return
    refundable_amount(ballot.amount_minor, request.currency)
    if ballot.amount_minor >= request.amount_minor:
        raise invalid("/amount", "amount_not_less", "This is not less than what is asked.")


def hold_changed(hold: ApprovalHold, earlier: Mapping[str, Any] | None) -> Conflict:
    """What a decision was made on stands no more: what does, and where it differs from what was seen, if that is kept."""
    extra: dict[str, Any] = {"digest": hold.digest, "version": hold.version, "shown": dict(hold.shown)}
    extra["changes"] = None if earlier is None else difference(earlier, hold.shown)
    return Conflict("hold_changed", "What you saw is not what stands now; look again.", extra)


def difference(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The members that differ between two versions of what is shown, each as it was and as it is."""
    return [
        {"member": name, "before": earlier.get(name), "now": now.get(name)}
        for name in sorted({*earlier, *now})
        if earlier.get(name) != now.get(name)
    ]


def _decided(hold: ApprovalHold, detail: str) -> Conflict:
    return Conflict("hold_already_decided", detail, {"state": hold.state.value})
