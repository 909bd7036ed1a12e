"""Many threads at once: everyone is answered, nobody twice, and the lead is never lost."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Barrier, Lock
from typing import Any

from governor.domain.errors import Conflict, GovernorError, Unavailable
from governor.usecases.together import Together
from tests.stack import PATIENCE_SECONDS
from tests.unit.threads import started

WORK = bytes(200_000)
"""Hashing it lets the other threads run, as waiting for a database would."""

REFUSAL = Conflict("refused", "")
Taking = Callable[[], Sequence[int]]


@dataclass
class _Storm:
    """Decides for many threads, fails in every way there is, and watches that no two decide at once."""

    together: Together[int, int] = field(init=False)
    inside: dict[str, Any] = field(default_factory=lambda: {name: Lock() for name in "abc"})
    decided: Counter[int] = field(default_factory=Counter)
    sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.together = Together(self._decide_all, at_most=16)

    def _decide_all(self, environment: str, taking: Taking) -> Sequence[int | GovernorError]:
        assert self.inside[environment].acquire(blocking=False), "two decide at once"
        try:
            items = taking()
            sha256(WORK)
            self.sizes.append(len(items))
            if any(item % 17 == 0 for item in items):
                raise ZeroDivisionError
            if items[0] % 29 == 0:
                raise Unavailable("decision_not_recorded", "")
            self.decided.update(items)
            return [REFUSAL if item % 5 == 0 else item for item in items]
        finally:
            self.inside[environment].release()


def test_sixty_four_threads_all_hear_their_own_answer() -> None:
    threads, each = 64, 60
    storm, start = _Storm(), Barrier(threads)

    def ask(thread: int) -> list[tuple[int, int | BaseException]]:
        heard: list[tuple[int, int | BaseException]] = []
        start.wait(PATIENCE_SECONDS)
        for item in range(thread * each, (thread + 1) * each):
            try:
                heard.append((item, storm.together.decide("abc"[item % 3], item)))
            except (GovernorError, ZeroDivisionError) as error:
                heard.append((item, error))
        return heard

    futures = [started(ask, thread) for thread in range(threads)]
    heard = dict(pair for one in futures for pair in one.result(PATIENCE_SECONDS))
    assert sorted(heard) == list(range(threads * each)), "nobody was forgotten"
    for item, answer in heard.items():
        if item % 17 == 0:
            assert isinstance(answer, ZeroDivisionError)
        elif not isinstance(answer, Unavailable):
            assert answer == (REFUSAL if item % 5 == 0 else item)
            assert storm.decided[item] == 1, "decided once"
        else:
            assert storm.decided[item] == 0, "whoever hears 'unavailable' was not decided"
    assert max(storm.sizes) > 1, "nothing was ever decided together"
    assert not any(line.led or line.waiting for line in storm.together._lines.values())
