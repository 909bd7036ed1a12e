"""Applying evidence piece by piece, as governor/usecases/apply_evidence.py does, without a store."""

from dataclasses import dataclass
from functools import cache

from governor.domain.evidence import Evidence, Proof, Source, fold
from governor.domain.lifecycle import CAPACITY, MOVES, Capacity, Event, State
from governor.domain.outcome import Outcome
from tests.unit.values import EXPECTED, read, refund, reply

ATTEMPTS = 2

PIECES: tuple[Evidence, ...] = (
    *(reply(n, outcome) for n in (1, 2) for outcome in Outcome if outcome is not Outcome.ACCEPTED),
    *(reply(n, Outcome.REJECTED, kept=True) for n in (1, 2)),
    Evidence(Source.NOT_SENT, Outcome.NOT_EXECUTED, attempt=1),
    Evidence(Source.READ, Outcome.REJECTED, attempt=1),
    reply(1, Outcome.ACCEPTED),
    reply(1, Outcome.ACCEPTED, refund("pending")),
    reply(2, Outcome.ACCEPTED, refund("succeeded")),
    reply(1, Outcome.UNKNOWN, refund(amount_minor=500)),
    reply(2, Outcome.UNKNOWN, refund(id="re_9", amount_minor=500)),
    *(read(refund(status)) for status in ("pending", "requires_action", "succeeded", "failed", "canceled")),
    read(refund(None), Source.WEBHOOK),
    read(refund("succeeded"), Source.WEBHOOK),
    read(refund(payment=None), Source.WEBHOOK),
    read(refund(amount_minor=50)),
    read(refund("pending", amount_minor=500)),
    read(refund("failed", amount_minor=50)),
    read(refund(currency="eur")),
    *(read(refund(status, id="re_2")) for status in ("pending", "succeeded", "failed")),
    read(refund(id="re_2", amount_minor=50)),
    read(refund(id="re_2", payment="pi_2")),
)
"""Everything that can be learnt about a request with two attempts, and much that never should be."""

PEOPLE = (Evidence(Source.OPERATOR, Outcome.ACCEPTED), Evidence(Source.OPERATOR, Outcome.REJECTED))
"""What two people can say of a request in doubt; only one of the two, since they resolve it once."""

ABSENCE = Evidence(Source.READ, Outcome.NOT_EXECUTED)
"""A look long after the key's life that found nothing; only taken for what nobody wants any more."""

ORIGINS = tuple(state for state in State if state is not State.DENIED)
"""Where a request may stand when evidence comes. A denied one has none."""


@dataclass(frozen=True)
class Standing:
    """Where a request stands, and what is booked of it."""

    state: State
    moved_minor: int = 0
    reference: str | None = None
    manual: bool = False


@cache
def verdict_of(pieces: frozenset[Evidence]) -> Proof:
    """The real fold; it reads a set, so each set is folded once."""
    return fold(EXPECTED, ATTEMPTS, pieces)


def after_one(standing: Standing, known: frozenset[Evidence], *, wished: bool) -> Standing:
    """The standing after a piece that makes the evidence `known`."""
    verdict = verdict_of(known)
    state = standing.state
    if verdict.event is not None:
        state = MOVES.get((state, verdict.event), state)
    if state is State.QUEUED and wished:
        state = MOVES[state, Event.CANCEL]
    moved = verdict.moved_minor if CAPACITY[state] is Capacity.SETTLED else 0
    return Standing(state, moved, verdict.reference or standing.reference, verdict.manual)


def after_all(origin: State, order: tuple[Evidence, ...], *, wished: bool) -> Standing:
    """The standing after pieces that arrive in this order."""
    standing, known = Standing(origin), frozenset[Evidence]()
    for piece in order:
        known |= {piece}
        standing = after_one(standing, known, wished=wished)
    return standing
