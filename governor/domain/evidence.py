"""The evidence fold: what all evidence of one refund request, taken together, proves.

The fold reads a *set*. Any order, any number of repeats and any late arrival end in the same result
(invariant 8), because nothing here asks which piece came first. Release needs proof for every attempt
(RELIABILITY §0, 1): a rejection speaks for its own attempt only, unless the provider keeps it under the key.

What outweighs what: a refund at the provider, then the proof that no attempt was executed, then what two
people say, then replies that leave it open. So later contrary evidence wins over people, in every order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from governor.domain.lifecycle import Event
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund


class Source(StrEnum):
    """Where a piece of evidence came from."""

    REPLY = "reply"
    NOT_SENT = "not_sent"
    READ = "read"
    WEBHOOK = "webhook"
    OPERATOR = "operator"


@dataclass(frozen=True)
class Evidence:
    """One thing learnt about a request; append-only. `attempt` is set when it answers one attempt.

    NOT_SENT is our own word that an attempt never left, for its gate closed before the call: proof (NOT_EXECUTED) only
    of whoever held the lease, else UNKNOWN. OPERATOR is what two people say who looked: ACCEPTED that it succeeded,
    REJECTED that it failed. A request is resolved once.
    """

    source: Source
    outcome: Outcome
    attempt: int | None = None
    kept: bool = False
    refund: ProviderRefund | None = None


@dataclass(frozen=True)
class Expected:
    """What a refund of this request must look like to count as complete evidence (invariant 7)."""

    request_id: str
    payment: str
    amount_minor: int
    currency: str


@dataclass(frozen=True)
class Proof:
    """What the evidence proves. `event` is None when it proves nothing new about a live attempt.

    `moved_minor` is what left according to the provider, over all refunds that carry our id; `overrun`
    says that what left and what is still pending there is more than was asked; `inconsistent` that a
    refund does not match the request. `manual` says that people said so and no evidence has settled it; what
    left is then what was asked for, when they say that it succeeded.
    """

    event: Event | None
    moved_minor: int
    reference: str | None
    overrun: bool
    inconsistent: bool
    manual: bool = False


_RANK = {"pending": 1, "requires_action": 1, "succeeded": 2, "failed": 3, "canceled": 3}
"""How far a status is. `failed` is final; `succeeded` may still fail; an unknown word counts as pending."""


def how_far(status: str | None) -> int:
    """The rank of a provider's status: a refund never goes back to a lower one."""
    return _RANK.get(status or "", 1)


_AUTHORITATIVE = frozenset({Source.READ, Source.WEBHOOK})
"""A read shows the object itself. A reply may have been mangled on its way, so a read overrules it."""


@dataclass(frozen=True)
class _Refund:
    """All snapshots of one provider refund, joined."""

    snapshot: ProviderRefund
    confirmed: bool
    ranks: frozenset[int]

    @property
    def event(self) -> Event:
        if 3 in self.ranks:
            return Event.PROVE_REVERSED if 2 in self.ranks else Event.PROVE_FAILED
        return Event.PROVE_SUCCEEDED if 2 in self.ranks else Event.PROVE_PENDING


def _joined(items: Iterable[Evidence]) -> list[_Refund]:
    """Per refund id its snapshots joined; what to believe is decided by value, never by arrival."""
    groups: dict[str, list[Evidence]] = {}
    for item in items:
        if item.refund is not None:
            groups.setdefault(item.refund.id, []).append(item)
    return [_join(groups[refund_id]) for refund_id in sorted(groups)]


def _join(group: list[Evidence]) -> _Refund:
    confirmed = [item for item in group if item.source in _AUTHORITATIVE]
    refunds = [item.refund for item in confirmed or group if item.refund is not None]
    ranks = frozenset(how_far(item.refund.status) for item in group if item.refund is not None)
    return _Refund(max(refunds, key=_weight), bool(confirmed), ranks)


@dataclass(frozen=True)
class Standing:
    """One refund at the provider as all evidence together shows it."""

    refund: ProviderRefund
    event: Event


def standings(evidence: Iterable[Evidence]) -> list[Standing]:
    """How each refund that the evidence names stands, by its id."""
    return [Standing(one.snapshot, one.event) for one in _joined(frozenset(evidence))]


def _weight(refund: ProviderRefund) -> tuple[int, bool, bool, str]:
    """Which snapshot to believe: the largest amount, then what is known before what was left out."""
    return refund.amount_minor, refund.payment is not None, refund.request_id is not None, repr(refund)


def _matches(refund: ProviderRefund, expected: Expected) -> bool:
    return (
        refund.request_id in {expected.request_id, None}
        and refund.payment == expected.payment
        and refund.amount_minor == expected.amount_minor
        and refund.currency == expected.currency
    )


def _decides(refund: _Refund, expected: Expected) -> bool:
    """Whether a refund outweighs people: not one that only a reply showed, and that is not the one asked for."""
    return refund.confirmed or _matches(refund.snapshot, expected)


def deciding_refunds(expected: Expected, evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """The refunds at the provider that leave nothing for people to say."""
    return tuple(refund.snapshot.id for refund in _joined(evidence) if _decides(refund, expected))


def fold(expected: Expected, attempts: int, evidence: Iterable[Evidence]) -> Proof:
    """Fold all evidence of a request that has made `attempts` attempts (numbered 1…attempts)."""
    items = frozenset(evidence)
    refunds = _joined(items)
    people = any(item.source is Source.OPERATOR for item in items)
    if not refunds or (people and not any(_decides(refund, expected) for refund in refunds)):
        reference = refunds[0].snapshot.id if refunds else None
        return replace(_without_refunds(expected, attempts, items), reference=reference)
    unmatched = [refund for refund in refunds if not _matches(refund.snapshot, expected)]
    moved, pending = (
        sum(
            refund.snapshot.amount_minor
            for refund in refunds
            if refund.event is event
            and refund.snapshot.currency == expected.currency
            and (refund.confirmed or refund not in unmatched)
        )
        for event in (Event.PROVE_SUCCEEDED, Event.PROVE_PENDING)
    )
    leading = min(refunds, key=lambda one: (_PRECEDENCE.index(one.event), one in unmatched, one.snapshot.id))
    event = leading.event
    whole = event is Event.PROVE_SUCCEEDED and leading not in unmatched
    if unmatched and not whole and moved <= expected.amount_minor:
        # Partial or inconsistent evidence keeps the full hold (invariant 7).
        event = Event.PROVE_INCONSISTENT
    overrun = moved + pending > expected.amount_minor
    return Proof(event, moved, leading.snapshot.id, overrun=overrun, inconsistent=bool(unmatched))


_PRECEDENCE = (Event.PROVE_SUCCEEDED, Event.PROVE_PENDING, Event.PROVE_REVERSED, Event.PROVE_FAILED)
"""With several refunds of one request (the provider's fault), the one that holds most money leads."""


def _without_refunds(expected: Expected, attempts: int, items: frozenset[Evidence]) -> Proof:
    """What is proven while nobody has seen a refund: by the replies, or else by people."""
    said = {item.outcome for item in items if item.source is Source.OPERATOR} & _ENDINGS
    replies = frozenset(item for item in items if item.source is not Source.OPERATOR)
    event = _event_of_replies(attempts, replies)
    inconsistent = event is Event.PROVE_INCONSISTENT
    if event in {None, Event.PROVE_IN_DOUBT} and not said and _proven_absent(replies):
        event = Event.PROVE_ABSENT
    if not said or inconsistent:
        return Proof(event, 0, None, overrun=False, inconsistent=inconsistent)
    if event in {Event.PROVE_REJECTED, Event.PROVE_NOT_EXECUTED}:
        # People have ended the task: what was never executed is over, and not sent again.
        return Proof(Event.PROVE_REJECTED, 0, None, overrun=False, inconsistent=False)
    if Outcome.ACCEPTED in said:
        moved = expected.amount_minor
        return Proof(Event.RESOLVE_SUCCEEDED, moved, None, overrun=False, inconsistent=False, manual=True)
    return Proof(Event.RESOLVE_FAILED, 0, None, overrun=False, inconsistent=False, manual=True)


def _proven_absent(items: frozenset[Evidence]) -> bool:
    """Whether a look found nothing when no call could arrive any more (domain.recovery says when that is)."""
    return any(item.source is Source.READ and item.outcome is Outcome.NOT_EXECUTED for item in items)


_ENDINGS = {Outcome.ACCEPTED, Outcome.REJECTED}
"""What people can say: that it succeeded, that it failed."""


def _event_of_replies(attempts: int, items: frozenset[Evidence]) -> Event | None:
    """What replies without any refund prove, taken over every attempt made."""
    if any(item.outcome is Outcome.ACCEPTED for item in items):
        return Event.PROVE_INCONSISTENT
    if any(item.kept and item.outcome is Outcome.REJECTED for item in items):
        return Event.PROVE_REJECTED
    by_attempt: dict[int, set[Outcome]] = {}
    for item in items:
        if item.attempt is not None:
            by_attempt.setdefault(item.attempt, set()).add(item.outcome)
    if not by_attempt:
        return None
    disproved = [_proves_not_executed(by_attempt.get(n, set())) for n in range(1, attempts + 1)]
    if not all(disproved):
        return Event.PROVE_IN_DOUBT if attempts in by_attempt else None
    rejected = any(Outcome.REJECTED in outcomes for outcomes in by_attempt.values())
    return Event.PROVE_REJECTED if rejected else Event.PROVE_NOT_EXECUTED


def _proves_not_executed(outcomes: set[Outcome]) -> bool:
    """Whether one attempt's evidence proves that it was not executed: not knowing takes no proof away."""
    return not outcomes.isdisjoint({Outcome.REJECTED, Outcome.NOT_EXECUTED})
