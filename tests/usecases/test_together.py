"""Who decides for whom, when callers of one environment wait at the same moment."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from governor.domain.errors import Conflict, GovernorError, Unavailable
from governor.usecases.together import Together
from tests.stack import PATIENCE_SECONDS, eventually

CALLERS = 8
Take = Callable[[], Sequence[int]]


class Line:
    """An environment's line: whoever decides waits here first, until it is free."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.free = threading.Event()
        self.reached = threading.Event()

    def decide_all(self, _environment: str, take: Take) -> list[int | GovernorError]:
        self.reached.set()
        assert self.free.wait(PATIENCE_SECONDS)
        self.batches.append(list(take()))
        return [number * 10 for number in self.batches[-1]]


def wait_for(together: Together[int, int], waiting: int) -> None:
    """Until that many wait in the environment's line."""
    eventually(lambda: len(together._lines["e"].waiting) >= waiting)


def test_who_comes_while_the_leader_waits_for_the_line_shares_its_transaction() -> None:
    line = Line()
    together = Together(line.decide_all)
    with ThreadPoolExecutor(CALLERS) as pool:
        answers = [pool.submit(together.decide, "e", n) for n in range(CALLERS)]
        assert line.reached.wait(PATIENCE_SECONDS)
        wait_for(together, CALLERS)
        line.free.set()
        assert [answer.result(PATIENCE_SECONDS) for answer in answers] == [n * 10 for n in range(CALLERS)]
    assert [sorted(batch) for batch in line.batches] == [list(range(CALLERS))]


def test_more_than_fit_are_taken_by_the_next_leader() -> None:
    line = Line()
    together = Together(line.decide_all, at_most=5)
    with ThreadPoolExecutor(CALLERS) as pool:
        answers = [pool.submit(together.decide, "e", n) for n in range(CALLERS)]
        assert line.reached.wait(PATIENCE_SECONDS)
        wait_for(together, CALLERS)
        line.free.set()
        assert [answer.result(PATIENCE_SECONDS) for answer in answers] == [n * 10 for n in range(CALLERS)]
    assert [len(batch) for batch in line.batches] == [5, 3]


def test_environments_do_not_wait_for_one_another() -> None:
    line = Line()
    together = Together(line.decide_all)
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(together.decide, name, 1) for name in ("e", "other")]
        line.free.set()
        assert [answer.result(PATIENCE_SECONDS) for answer in answers] == [10, 10]
    assert len(line.batches) == 2


def test_a_refusal_in_a_batch_is_its_own_callers_only() -> None:
    def decide_all(_environment: str, take: Take) -> list[int | GovernorError]:
        return [n or Conflict("no", "not zero") for n in take()]

    together: Together[int, int] = Together(decide_all)
    with pytest.raises(Conflict):
        together.decide("e", 0)
    assert together.decide("e", 1) == 1


def test_when_a_batch_fails_each_is_decided_alone() -> None:
    line = Line()

    def decide_all(environment: str, take: Take) -> list[int | GovernorError]:
        answers = line.decide_all(environment, take)
        if 3 in line.batches[-1]:
            raise ValueError("three breaks whatever it is part of")
        return answers

    together: Together[int, int] = Together(decide_all)
    with ThreadPoolExecutor(CALLERS) as pool:
        asked = [pool.submit(together.decide, "e", n) for n in range(CALLERS)]
        assert line.reached.wait(PATIENCE_SECONDS)
        wait_for(together, CALLERS)
        line.free.set()
        wrong = [n for n, answer in enumerate(asked) if answer.exception(PATIENCE_SECONDS)]
    assert wrong == [3]
    assert len(line.batches) == CALLERS + 1


@pytest.mark.parametrize("before_taking", [True, False])
def test_when_the_database_is_away_all_who_wait_hear_it_once(before_taking: bool) -> None:
    tries: list[str] = []
    free, reached = threading.Event(), threading.Event()

    def decide_all(environment: str, take: Take) -> list[int | GovernorError]:
        tries.append(environment)
        reached.set()
        assert free.wait(PATIENCE_SECONDS)
        if not before_taking:
            take()
        raise Unavailable("decision_not_recorded", "away")

    together: Together[int, int] = Together(decide_all)
    with ThreadPoolExecutor(CALLERS) as pool:
        asked = [pool.submit(partial(together.decide, "e", n)) for n in range(CALLERS)]
        assert reached.wait(PATIENCE_SECONDS)
        wait_for(together, CALLERS)
        free.set()
        errors = [answer.exception(PATIENCE_SECONDS) for answer in asked]
    assert [type(error) for error in errors] == [Unavailable] * CALLERS
    assert tries == ["e"]
