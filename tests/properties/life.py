"""The life of one request among workers, calls, replies and a provider, step by step: what the search walks.

The states, moves and the fold are the real ones; the world around them is this page. An attempt is in one
place at a time:

    c    claimed; its worker stands before the gate, for as long as it likes
    w    the call is under way and its worker waits        o    under way, nobody waits any more
    r?   its reply ? is under way to the waiting worker    l    lost; the worker waits until its deadline
    .    over

Replies: A accepted (a refund exists), R rejected, K rejected and kept under the key, N not executed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import NamedTuple

from governor.domain.evidence import Evidence, Proof, Source, fold
from governor.domain.lifecycle import CANCEL_STOPS, MOVES, OPEN_STATES, Event, State
from governor.domain.outcome import Outcome
from tests.properties.orders import PEOPLE
from tests.unit.values import EXPECTED, read, refund, reply

Fold = Callable[[int, frozenset[Evidence]], Proof]
STATUS = {"p": "pending", "s": "succeeded", "f": "failed"}
NEXT_STATUS = {"p": "sf", "s": "f", "f": ""}


class Life(NamedTuple):
    """One request, its attempts, and what the provider has of it."""

    state: State = State.QUEUED
    wished: bool = False
    young: bool = True
    attempts: tuple[str, ...] = ()
    known: frozenset[Evidence] = frozenset()
    kept: str = ""
    executions: int = 0
    statuses: str = ""
    """Every status its refund has had, the present one last."""


@cache
def real_fold(attempts: int, known: frozenset[Evidence]) -> Proof:
    """The fold of governor."""
    return fold(EXPECTED, attempts, known)


@dataclass(frozen=True)
class Rules:
    """What protects the money. Each rule can be switched off, and the search must then find the harm."""

    most_attempts: int
    fold: Fold = real_fold
    moves: Mapping[tuple[State, Event], State] = field(default_factory=lambda: MOVES)
    gate: bool = True
    """Right before the bytes leave: the lease is ours, the key young, the refund still wanted."""
    young_only: bool = True
    """Nothing is sent once the provider may have forgotten the key."""
    absence_waits: bool = True
    """A read that finds nothing proves nothing while a call may still arrive."""
    one_key: bool = True
    """All attempts carry the same key."""
    one_admission: bool = True
    """Admission checks and takes in one step."""
    people: bool = True
    """Two people can say how it ended, when nothing else can."""


Step = tuple[str, Life]


def steps(rules: Rules, life: Life) -> Iterator[Step]:
    """Everything that can happen next to an admitted request, but for what it then hears of it."""
    yield from _ours(rules, life)
    yield from _provider(life)
    for number, place in enumerate(life.attempts, 1):
        yield from _attempt(rules, life, number, place)


def _ours(rules: Rules, life: Life) -> Iterator[Step]:
    move = partial(_move, rules, life)
    if life.state in CANCEL_STOPS or (life.state, Event.CANCEL) in rules.moves:
        yield "cancel", move(Event.CANCEL)
    elif life.state in OPEN_STATES and not life.wished:
        yield "wish to cancel", life._replace(wished=True)
    replayable = not life.wished and _young(rules, life)
    if len(life.attempts) < rules.most_attempts and (
        life.state is State.QUEUED or (life.state is State.UNKNOWN and replayable)
    ):
        yield "claim", move(Event.CLAIM)._replace(attempts=(*life.attempts, "c"))
    if life.state is State.DISPATCHING:
        yield "lease lost", move(Event.LEASE_LOST)
    nothing_seen = life.state is State.UNKNOWN and not life.statuses
    if nothing_seen and life.wished and not (rules.absence_waits and _under_way(life)):
        yield "read: absent, as wished", move(Event.PROVE_ABSENT)
    if rules.people and life.state is State.UNKNOWN and not seen(life) and said(life) is None:
        for word, people in zip(("succeeded", "failed"), PEOPLE, strict=True):
            yield f"two people: it {word}", life._replace(known=life.known | {people})


def _provider(life: Life) -> Iterator[Step]:
    for status in sorted(set(life.statuses)):
        told = _told(status)
        if told not in life.known:
            yield f"webhook: {STATUS[status]}", life._replace(known=life.known | {told})
    if life.executions == 1:
        for status in NEXT_STATUS[life.statuses[-1]]:
            yield f"the refund {STATUS[status]}", life._replace(statuses=life.statuses + status)
    if life.young and life.attempts and not _under_way(life):
        yield "24 h", life._replace(young=False, kept="")


def _attempt(rules: Rules, life: Life, number: int, place: str) -> Iterator[Step]:
    at = partial(_at, life, number)
    if place == "c":
        yield "crash before the call", at(".")
        if _open(rules, life, number):
            yield f"call {number} leaves", at("w")
        else:
            yield f"gate shut for {number}", _learn(at("."), Source.NOT_SENT, number, Outcome.NOT_EXECUTED)
    if place in {"w", "o"}:
        yield f"call {number} lost", at("l" if place == "w" else ".")
        for answer, after in _executed(rules, life):
            yield f"provider: {answer} to {number}", _at(after, number, "r" + answer if place == "w" else ".")
    if place in {"w", "l"} or place[0] == "r":
        over = at("o" if place == "w" else ".")
        yield f"worker {number} dies", over
        yield f"deadline of {number}", _learn(over, Source.REPLY, number, Outcome.UNKNOWN)
    if place[0] == "r":
        yield (
            f"reply to {number} arrives",
            at(".")._replace(known=life.known | {_reply(number, place[1], life.statuses[:1])}),
        )


def said(life: Life) -> Outcome | None:
    """What two people have said of it: ACCEPTED, REJECTED, or nothing yet. They may be wrong."""
    return next((piece.outcome for piece in life.known if piece.source is Source.OPERATOR), None)


def seen(life: Life) -> bool:
    """Whether we have heard of a refund."""
    return any(piece.refund for piece in life.known)


def heard(rules: Rules, before: Life, after: Life) -> Life:
    """What new evidence does, as apply_evidence does it: fold all of it, and move if the table says so."""
    if after.known is before.known:
        return after
    event = rules.fold(len(after.attempts), after.known).event
    state = after.state if event is None else rules.moves.get((after.state, event), after.state)
    if state is State.QUEUED and after.wished:
        state = rules.moves[state, Event.CANCEL]
    return after._replace(state=state)


def _move(rules: Rules, life: Life, event: Event) -> Life:
    return life._replace(state=rules.moves[life.state, event])


def _at(life: Life, number: int, place: str) -> Life:
    return life._replace(attempts=(*life.attempts[: number - 1], place, *life.attempts[number:]))


def _learn(life: Life, source: Source, number: int, outcome: Outcome) -> Life:
    return life._replace(known=life.known | {Evidence(source, outcome, attempt=number)})


def _under_way(life: Life) -> bool:
    return "w" in life.attempts or "o" in life.attempts


def _open(rules: Rules, life: Life, number: int) -> bool:
    ours = life.state is State.DISPATCHING and number == len(life.attempts)
    return not rules.gate or (ours and _young(rules, life) and not life.wished)


def _young(rules: Rules, life: Life) -> bool:
    return life.young or not rules.young_only


def _executed(rules: Rules, life: Life) -> Iterator[Step]:
    """What the provider does with a call: what it kept under the key it answers again."""
    if life.kept and rules.one_key:
        yield life.kept, life
        return
    for first in "ps":
        yield "A", life._replace(kept="A", executions=life.executions + 1, statuses=first + life.statuses)
    yield "K", life._replace(kept="K")
    yield "R", life
    yield "N", life


@cache
def _told(status: str) -> Evidence:
    return read(refund(STATUS[status]), Source.WEBHOOK)


@cache
def _reply(number: int, answer: str, status: str) -> Evidence:
    if answer == "A":
        return reply(number, Outcome.ACCEPTED, refund(STATUS[status]))
    outcome = Outcome.NOT_EXECUTED if answer == "N" else Outcome.REJECTED
    return reply(number, outcome, kept=answer == "K")


def without(rules: Rules, **off: object) -> Rules:
    """The rules with some of them changed."""
    return replace(rules, **off)  # type: ignore[arg-type]  # the names are checked by replace itself
