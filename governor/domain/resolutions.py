"""What nobody could know, two people say: who may resolve a refund request, when, and when it is done.

A resolution releases or settles without a word of the provider, so it takes two different people who say the
same about the same attempts, and evidence that comes later still outweighs them (governor.domain.evidence).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from governor.domain.credentials import Credential, Kind
from governor.domain.duties import asked_for
from governor.domain.errors import Conflict, Forbidden
from governor.domain.evidence import Evidence, Expected, Source, deciding_refunds
from governor.domain.lifecycle import CAPACITY, Capacity, State
from governor.domain.outcome import Outcome
from governor.domain.requests import RefundRequest


class Ending(StrEnum):
    """How two people can say that a request in doubt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True)
class Proposal:
    """How one person says that it ended, looking at `attempts` attempts; `proposed_at` in UTC."""

    outcome: Ending
    credential: str
    person: str
    reason: str
    attempts: int
    proposed_at: datetime


def evidence_of(outcome: Ending) -> Evidence:
    """What two people say, as evidence: it belongs to no attempt and shows no refund."""
    said = Outcome.ACCEPTED if outcome is Ending.SUCCEEDED else Outcome.REJECTED
    return Evidence(Source.OPERATOR, said)


def standing(
    request: RefundRequest, proposals: Sequence[Proposal], speaking: Collection[str]
) -> Proposal | None:
    """The proposal that waits for a second person: the newest one (they come oldest first).

    `speaking` are the credentials whose word still counts: a dead one's proposal waits for nobody.

    None when the request is not in doubt any more, or has been sent again since: what was said then was said
    of something else.
    """
    newest = proposals[-1] if proposals else None
    if (
        newest is None
        or newest.credential not in speaking
        or request.state is not State.UNKNOWN
        or newest.attempts != request.attempts
    ):
        return None
    return newest


def refuse_resolver(
    request: RefundRequest, requester: Sequence[Credential], chain: Sequence[Credential]
) -> None:
    """Refuse everybody who asked for the refund (invariant 14), and whoever is no human.

    `requester` and `chain` are the credentials of the request and of the caller with their ancestors.

    Raises:
        Forbidden: `self_resolution`, `resolution_needs_human`.
    """
    if asked_for(request, requester, chain):
        raise Forbidden(
            "self_resolution", "Nobody resolves a refund that they asked for, with any of their keys."
        )
    if chain[0].kind is not Kind.HUMAN:
        raise Forbidden("resolution_needs_human", "Only people say what nobody could know.")


def refuse_unresolvable(request: RefundRequest, known: Iterable[Evidence]) -> None:
    """Refuse what is not for people to say.

    Raises:
        Conflict: `not_unknown`; `refund_seen` when the provider has a refund, which then decides. (One that only
            a mangled reply has shown is no more than doubt.)
    """
    if request.state is not State.UNKNOWN:
        raise Conflict(
            "not_unknown",
            f"The request is {request.state}; only one in doubt is resolved by people.",
            {"state": request.state.value},
        )
    expected = Expected(request.id, request.payment, request.amount_minor, request.currency)
    seen = deciding_refunds(expected, known)
    if seen:
        raise Conflict(
            "refund_seen",
            "The provider has shown a refund of this request: what becomes of that decides.",
            {"provider_references": list(seen)},
        )


def completes(waiting: Proposal | None, proposal: Proposal) -> bool:
    """Whether `proposal` ends the matter: a second person says what the first one said.

    False when it is a first proposal, or the same person's other mind.

    Raises:
        Conflict: `second_person_needed`, `resolution_conflict`, with what is proposed.
    """
    if waiting is None:
        return False
    proposed = {"proposal": {"outcome": waiting.outcome.value, "person": waiting.person}}
    same_outcome = waiting.outcome is proposal.outcome
    if waiting.person == proposal.person:
        if same_outcome:
            raise Conflict("second_person_needed", "Somebody else has to say the same.", proposed)
        return False
    if not same_outcome:
        raise Conflict(
            "resolution_conflict",
            f"{waiting.person} says that it {waiting.outcome}; look together before one of you says it anew.",
            proposed,
        )
    return True


def contradicted(known: Iterable[Evidence], before: State, after: State) -> bool:
    """Whether evidence has just moved a request against what two people said of it.

    A refund that succeeded and then failed at the bank contradicts nobody.
    """
    said = {item.outcome for item in known if item.source is Source.OPERATOR}
    released = Capacity.RELEASED
    failed_after_all = Outcome.ACCEPTED in said and after is State.FAILED and before is not State.FAILED
    left_after_all = (
        Outcome.REJECTED in said and CAPACITY[before] is released and CAPACITY[after] is not released
    )
    return failed_after_all or left_after_all
