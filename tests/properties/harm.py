"""What must never be so in the life of a request, whoever else is there."""

from governor.domain.evidence import Source
from governor.domain.lifecycle import CAPACITY, FINAL_STATES, Capacity, Event, State
from governor.domain.outcome import Outcome
from tests.properties.life import Life, Step, real_fold, said, seen

TAKEN = {Capacity.HELD, Capacity.SETTLED}

_PROVEN = {
    Event.PROVE_PENDING: State.PROVIDER_PENDING,
    Event.PROVE_SUCCEEDED: State.SUCCEEDED,
    Event.PROVE_FAILED: State.FAILED,
    Event.PROVE_REVERSED: State.REVERSED,
    Event.PROVE_REJECTED: State.FAILED,
}
"""Where a request stands that the provider has settled, whatever people say."""


def harm_of(life: Life, then: tuple[Step, ...]) -> str | None:
    """The promise that does not hold of a life, by itself; `then` is everything that can happen next."""
    if life.executions > 1:
        return "two refunds of one request"
    people = said(life)
    if people is not None and _outweighed(life):
        return "people outweigh evidence"
    erred = None if seen(life) else people
    gone = life.statuses[-1:] in {"p", "s"} and CAPACITY[life.state] not in TAKEN
    if gone and erred is not Outcome.REJECTED:
        return "money gone, capacity free"
    if CAPACITY[life.state] is Capacity.SETTLED and not life.executions and erred is not Outcome.ACCEPTED:
        return "settled without a refund"
    if not then and life.state not in FINAL_STATES:
        return "nothing can happen any more, and nobody knows"
    return None


def _outweighed(life: Life) -> bool:
    """Whether the request stands elsewhere than where the evidence without the people puts it."""
    evidence = frozenset(piece for piece in life.known if piece.source is not Source.OPERATOR)
    event = real_fold(len(life.attempts), evidence).event
    return event in _PROVEN and life.state is not _PROVEN[event]
