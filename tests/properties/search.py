"""Every interleaving of two requests that compete for the room of one, breadth-first over the real rules.

    python -m tests.properties.search           what the test suite searches
    python -m tests.properties.search --full    one attempt more for each (a quarter of an hour, 2 GB)

The first violation found is the shortest way to it.
"""

import argparse
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import perf_counter

from governor.domain.admission import decide
from governor.domain.evidence import Evidence, Proof, Source
from governor.domain.lifecycle import CAPACITY, MOVES, Capacity, Event, State
from governor.domain.limits import Usage
from governor.domain.outcome import Outcome
from tests.properties.harm import TAKEN, harm_of
from tests.properties.life import Life, Rules, Step, heard, real_fold, said, steps, without
from tests.unit.values import EXPECTED, ask, limit, situation

World = tuple[int, int]
"""Two requests, each one of the three before its life or a class of `Lives`."""
NEW, CHECKED, DENIED = -3, -2, -1
"""CHECKED: found to fit and not taken yet, where admission is not one step."""


@dataclass(frozen=True)
class Found:
    """How many worlds were seen, out of how many lives; what went wrong, and the shortest way to it."""

    worlds: int
    lives: int
    violation: str | None = None
    path: tuple[str, ...] = ()


def search(rules: Rules) -> Found:
    """Walk every reachable world once, nearest first."""
    lives = Lives(rules)
    came: dict[World, tuple[World, str] | None] = {(NEW, NEW): None}
    waiting = deque(came)
    while waiting:
        world = waiting.popleft()
        violation = lives.violation(world)
        if violation:
            return Found(len(came), lives.count, violation, _path(came, world))
        for label, after in lives.following(world):
            if after not in came:
                came[after] = (world, label)
                waiting.append(after)
    return Found(len(came), lives.count)


class Lives:
    """Every life a request can have, walked once, and then the classes of those that are alike from now on.

    Requests meet only in the room they take: so a world of two classes stands for all worlds of their lives,
    and nothing is left out.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        lives = _walked(rules)
        self.count = len(lives)
        alike = _classes(lives)
        self._first = alike[Life()]
        self._steps = {alike[life]: {(what, alike[then]) for what, then in lives[life]} for life in lives}
        self._capacity = {alike[life]: CAPACITY[life.state] for life in lives} | {
            NEW: Capacity.NONE,
            CHECKED: Capacity.NONE,
            DENIED: Capacity.NONE,
        }
        self._harm = {alike[life]: harm_of(life, lives[life]) for life in lives}
        self._resolved = {alike[life] for life in lives if said(life) is not None}

    def following(self, world: World) -> Iterator[tuple[str, World]]:
        """Every next world. The two are alike, so which of them is which makes no other world.

        A request that people resolve is walked beside one that never begins: where people have released what had
        left after all, the truth comes back as an overrun, so the cap says nothing of such worlds.
        """
        for one, other in (world, world[::-1]):
            beside_none = other == NEW
            if other in self._resolved and not beside_none:
                continue
            for label, after in self._next(one, other):
                if beside_none or after not in self._resolved:
                    yield label, (after, other) if after < other else (other, after)

    def violation(self, world: World) -> str | None:
        """The promise that does not hold in this world."""
        one, other = world
        if self._capacity[one] in TAKEN and self._capacity[other] in TAKEN:
            return "over the cap"
        return self._harm.get(one) or self._harm.get(other)

    def _next(self, number: int, other: int) -> set[tuple[str, int]]:
        if number >= 0:
            return self._steps[number]
        if number == DENIED:
            return set()
        if number == CHECKED:
            return {("take", self._first)}
        if _decided(self._capacity[other]) is State.DENIED:
            return {("deny", DENIED)}
        return {("admit", self._first)} if self._rules.one_admission else {("check", CHECKED)}


@cache
def _decided(taken: Capacity) -> State:
    """The real decision over a limit that has room for one of the two."""
    amount = EXPECTED.amount_minor
    usage = Usage(reserved=amount * (taken is Capacity.HELD), settled=amount * (taken is Capacity.SETTLED))
    return decide(ask(amount), amount, situation(amount, limit(cap=amount), usage=usage)).state


def _walked(rules: Rules) -> dict[Life, tuple[Step, ...]]:
    """Every life that an admitted request can come to, with everything that can happen next."""
    lives: dict[Life, tuple[Step, ...]] = {}
    waiting = [Life()]
    while waiting:
        life = waiting.pop()
        if life not in lives:
            lives[life] = tuple((label, heard(rules, life, then)) for label, then in steps(rules, life))
            waiting.extend(then for _, then in lives[life])
    return lives


def _classes(lives: dict[Life, tuple[Step, ...]]) -> dict[Life, int]:
    """Lives of one class show the same, and can take the same steps to the same classes."""
    numbers: dict[object, int] = {}
    alike = {
        life: numbers.setdefault(
            (CAPACITY[life.state], said(life) is None, harm_of(life, then)), len(numbers)
        )
        for life, then in lives.items()
    }
    while True:
        finer: dict[object, int] = {}
        split = {
            life: finer.setdefault((alike[life], frozenset((w, alike[t]) for w, t in then)), len(finer))
            for life, then in lives.items()
        }
        if len(finer) == len(numbers):
            return alike
        alike, numbers = split, finer


def _path(came: dict[World, tuple[World, str] | None], world: World) -> tuple[str, ...]:
    labels = []
    step = came[world]
    while step is not None:
        world, label = step
        labels.append(label)
        step = came[world]
    return tuple(reversed(labels))


def _any_rejection(attempts: int, known: frozenset[Evidence]) -> Proof:
    if any(piece.outcome is Outcome.REJECTED for piece in known) and not any(piece.refund for piece in known):
        return Proof(Event.PROVE_REJECTED, 0, None, overrun=False, inconsistent=False)
    return real_fold(attempts, known)


def _a_timeout_is_a_failure(attempts: int, known: frozenset[Evidence]) -> Proof:
    if any(piece.outcome is Outcome.UNKNOWN for piece in known) and not any(piece.refund for piece in known):
        return Proof(Event.PROVE_REJECTED, 0, None, overrun=False, inconsistent=False)
    return real_fold(attempts, known)


def _people_come_first(attempts: int, known: frozenset[Evidence]) -> Proof:
    people = frozenset(piece for piece in known if piece.source is Source.OPERATOR)
    return real_fold(attempts, people or known)


RULES = Rules(most_attempts=2)
"""As governor has them."""

SWITCHED_OFF: dict[str, tuple[Rules, str]] = {
    "any rejection releases": (without(RULES, fold=_any_rejection), "money gone, capacity free"),
    "a timeout releases": (without(RULES, fold=_a_timeout_is_a_failure), "money gone, capacity free"),
    "a lost lease releases": (
        without(RULES, moves=MOVES | {(State.DISPATCHING, Event.LEASE_LOST): State.FAILED}),
        "money gone, capacity free",
    ),
    "a cancellation stops what was claimed": (
        without(RULES, moves=MOVES | {(State.DISPATCHING, Event.CANCEL): State.CANCELED}),
        "money gone, capacity free",
    ),
    "an empty read releases at once": (without(RULES, absence_waits=False), "money gone, capacity free"),
    "an old key is sent again": (without(RULES, young_only=False), "two refunds of one request"),
    "a worker that slept sends": (without(RULES, gate=False), "money gone, capacity free"),
    "each attempt has its key": (without(RULES, one_key=False), "two refunds of one request"),
    "people outweigh evidence": (without(RULES, fold=_people_come_first), "people outweigh evidence"),
    "check, then take": (without(RULES, one_admission=False), "over the cap"),
    "a refund that failed is not believed": (
        without(
            RULES, people=False, moves={m: to for m, to in MOVES.items() if m[1] is not Event.PROVE_FAILED}
        ),
        "nothing can happen any more, and nobody knows",
    ),
}
"""Each protective rule switched off, and the harm that must then be found."""


def main() -> None:
    """Search, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="three attempts each instead of two")
    most = 3 if parser.parse_args().full else RULES.most_attempts
    searches = {"as they are": RULES} | {name: rules for name, (rules, _) in SWITCHED_OFF.items()}
    for name, rules in searches.items():
        started = perf_counter()
        found = search(without(rules, most_attempts=most))
        seconds = perf_counter() - started
        outcome = f"{found.violation}: {' → '.join(found.path)}" if found.violation else "holds in all"
        print(f"{name}: {outcome} | {found.lives} lives, {found.worlds} worlds, {seconds:.1f} s")  # noqa: T201  a command's output


if __name__ == "__main__":
    main()
