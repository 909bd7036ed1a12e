from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event, Semaphore
from typing import Any

import pytest

from governor.domain.errors import Conflict, GovernorError, InvariantBroken, Unavailable
from governor.usecases.together import Together, _Line
from tests.stack import PATIENCE_SECONDS
from tests.unit.threads import started

REFUSAL = Conflict("refused", "")


class _Seen(deque[Any]):
    """A line in which somebody counts those who join it."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = Semaphore(0)

    def append(self, waiting: Any) -> None:
        super().append(waiting)
        self.joined.release()


Taking = Callable[[], Sequence[int]]


@dataclass
class _Room:
    """Items that are decided together; the first batch of "test" is held up until everyone else has come.

    `late`: it is held up before it takes who waits, as on the way to a lock; else while it decides them.
    """

    answer: Callable[[Sequence[int]], Sequence[int | GovernorError]]
    at_most: int = 64
    late: bool = False
    away: Unavailable | None = None
    batches: list[list[int]] = field(default_factory=list)
    go: Event = field(default_factory=Event)
    deciding: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.line = _Seen()
        self.together: Together[int, int] = Together(self._decide_all, self.at_most)
        self.together._lines["test"] = _Line(self.line)

    def _decide_all(self, environment: str, taking: Taking) -> Sequence[int | GovernorError]:
        items = [] if self.late else taking()
        if environment == "test" and not self.deciding.is_set():
            self.deciding.set()
            assert self.go.wait(PATIENCE_SECONDS)
        if self.away is not None:
            raise self.away
        items = items or taking()
        self.batches.append(list(items))
        return self.answer(items)

    def after_one_in_the_lead(self, items: Sequence[int]) -> list[int | BaseException]:
        """What each of `items` hears, all of which came, in this order, while item 0 was being decided."""
        leader = started(self.together.decide, "test", 0)
        assert self.deciding.wait(PATIENCE_SECONDS)
        assert self.line.joined.acquire(timeout=PATIENCE_SECONDS)
        waiting = []
        for item in items:
            waiting.append(started(self.together.decide, "test", item))
            assert self.line.joined.acquire(timeout=PATIENCE_SECONDS)
        self.go.set()
        return [_heard(one) for one in (leader, *waiting)]


def _asked(together: Together[int, int], item: int, environment: str = "test") -> int | BaseException:
    return _heard(started(together.decide, environment, item))


def _heard(one: Future[int]) -> int | BaseException:
    error = one.exception(PATIENCE_SECONDS)
    return one.result() if error is None else error


def _doubled(items: Sequence[int]) -> list[int | GovernorError]:
    return [2 * item for item in items]


def test_a_line_of_one_is_decided_at_once() -> None:
    room = _Room(_doubled)
    room.go.set()
    assert [_asked(room.together, item) for item in (1, 2, 3)] == [2, 4, 6]
    assert room.batches == [[1], [2], [3]]


def test_those_who_come_while_others_are_decided_are_decided_together_in_their_order() -> None:
    room = _Room(_doubled)
    assert room.after_one_in_the_lead([5, 3, 9]) == [0, 10, 6, 18]
    assert room.batches == [[0], [5, 3, 9]]


def test_those_who_come_before_the_lead_takes_are_decided_with_it() -> None:
    room = _Room(_doubled, late=True)
    assert room.after_one_in_the_lead([5, 3, 9]) == [0, 10, 6, 18]
    assert room.batches == [[0, 5, 3, 9]]


def test_who_waits_is_taken_once() -> None:
    def twice(environment: str, taking: Taking) -> Sequence[int | GovernorError]:
        assert environment == "test"
        return _doubled([*taking(), *taking()][:1])

    assert Together(twice).decide("test", 4) == 8


def test_no_more_than_so_many_share_a_decision() -> None:
    room = _Room(_doubled, at_most=2)
    assert room.after_one_in_the_lead([1, 2, 3, 4, 5]) == [0, 2, 4, 6, 8, 10]
    assert room.batches == [[0], [1, 2], [3, 4], [5]]


def test_a_refusal_is_heard_by_its_own_caller_alone() -> None:
    room = _Room(lambda items: [REFUSAL if item == 2 else item for item in items])
    assert room.after_one_in_the_lead([1, 2, 3]) == [0, 1, REFUSAL, 3]
    assert room.batches == [[0], [1, 2, 3]]


def test_one_item_that_breaks_the_decision_does_not_fail_the_others() -> None:
    broken = ZeroDivisionError("item 2")

    def answer(items: Sequence[int]) -> Sequence[int | GovernorError]:
        if 2 in items:
            raise broken
        return list(items)

    room = _Room(answer)
    assert room.after_one_in_the_lead([1, 2, 3]) == [0, 1, broken, 3]
    assert room.batches == [[0], [1, 2, 3], [1], [2], [3]]


def test_a_database_that_is_away_is_not_asked_again_for_each() -> None:
    away = Unavailable("decision_not_recorded", "")

    def answer(items: Sequence[int]) -> Sequence[int | GovernorError]:
        if 0 not in items:
            raise away
        return list(items)

    room = _Room(answer)
    assert room.after_one_in_the_lead([1, 2, 3]) == [0, away, away, away]
    assert room.batches == [[0], [1, 2, 3]]


def test_a_database_that_goes_away_while_each_is_tried_alone_says_so_to_each() -> None:
    away, broken = Unavailable("decision_not_recorded", ""), ZeroDivisionError()

    def answer(items: Sequence[int]) -> Sequence[int | GovernorError]:
        if len(items) > 1:
            raise broken
        if items[0] >= 2:
            raise away
        return list(items)

    assert _Room(answer).after_one_in_the_lead([1, 2, 3]) == [0, 1, away, away]


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_wrong_number_of_answers_is_answered_to_nobody(count: int) -> None:
    room = _Room(lambda items: list(items) if items[0] == 0 else [1] * count)
    heard = room.after_one_in_the_lead([1, 2, 3])
    assert heard[0] == 0
    assert [type(answer) for answer in heard[1:]] == [ValueError] * 3
    assert _asked(room.together, 0) == 0, "the line goes on"


def test_no_answer_is_never_taken_for_one() -> None:
    room = _Room(lambda items: [None for _ in items])  # type: ignore[misc]  # what must not happen
    room.go.set()
    assert isinstance(_asked(room.together, 1), InvariantBroken)


class _Interruption(BaseException):
    """As a signal raises it."""


def test_an_interruption_of_the_lead_is_heard_by_all_of_its_batch_and_ends_nothing_else() -> None:
    def answer(items: Sequence[int]) -> Sequence[int | GovernorError]:
        if 1 in items:
            raise _Interruption
        return list(items)

    room = _Room(answer, at_most=2)
    heard = room.after_one_in_the_lead([1, 2, 3])
    assert [type(answer) for answer in heard] == [int, _Interruption, _Interruption, int]


@pytest.mark.parametrize("error", [_Interruption(), Unavailable("no_database", ""), ZeroDivisionError()])
def test_a_lead_that_fails_before_it_takes_anybody_leaves_no_line_without_a_lead(
    error: BaseException,
) -> None:
    failures = [error]

    def decide_all(environment: str, taking: Taking) -> Sequence[int | GovernorError]:
        assert environment == "test"
        for failure in failures:
            raise failure
        return list(taking())

    together = Together(decide_all)
    assert _asked(together, 1) is error
    failures.clear()
    assert _asked(together, 2) == 2


def test_a_database_that_cannot_be_reached_at_all_is_said_to_everyone_who_waits() -> None:
    away = Unavailable("no_database", "")
    room = _Room(_doubled, late=True, away=away)
    assert room.after_one_in_the_lead([1, 2]) == [away, away, away]
    assert room.batches == []


def test_a_decision_that_takes_nobody_is_an_error_and_leaves_no_line_without_a_lead() -> None:
    together: Together[int, int] = Together(lambda environment, taking: [])  # noqa: ARG005  that it takes nobody is the test
    assert [type(_asked(together, item)) for item in (1, 2)] == [ValueError, ValueError]


def test_environments_do_not_wait_for_one_another() -> None:
    room = _Room(_doubled)
    held_up = started(room.together.decide, "test", 1)
    assert room.deciding.wait(PATIENCE_SECONDS)
    assert _asked(room.together, 2, "other") == 4
    room.go.set()
    assert held_up.result(PATIENCE_SECONDS) == 2
