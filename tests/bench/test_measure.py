import threading
from typing import Any

import pytest

from governor.bench.asking import ask
from governor.bench.measure import SLOT, BrokenRunError, Call, Effort, Run, _repeat, interleave, medians

EFFORT = Effort(callers=4, processes=2, rounds=2, seconds=0.1)


def counting(context: dict[str, Any]) -> Call:
    """Notes every number it is called with in a file of its process."""
    path = f"{context['folder']}/{context['process']}"

    def call(number: int) -> None:
        with open(path, "a", encoding="ascii") as log:  # noqa: PTH123  a spawned process, no Path needed
            log.write(f"{number}\n")

    return call


def failing(_: dict[str, Any]) -> Call:
    """Refuses its first call."""

    def call(number: int) -> None:
        raise ValueError(f"no {number >= 0}")

    return call


def unbuildable(_: dict[str, Any]) -> Call:
    """Cannot even be built."""
    raise OSError("nothing to connect to")


def test_no_two_calls_of_a_measurement_get_the_same_number(tmp_path: Any) -> None:
    runs = interleave({"one": counting, "other": counting}, {"folder": str(tmp_path)}, EFFORT)
    numbers = [int(line) for log in tmp_path.iterdir() for line in log.read_text().splitlines()]
    assert (
        len(numbers) == len(set(numbers)) == sum(len(r.latencies_ms) for some in runs.values() for r in some)
    )
    assert [len(some) for some in runs.values()] == [EFFORT.rounds] * 2


def test_a_failing_call_ends_its_caller_and_is_told() -> None:
    runs = interleave({"failing": failing}, {}, EFFORT)["failing"]
    assert [(len(run.errors), run.latencies_ms) for run in runs] == [(EFFORT.callers, ())] * EFFORT.rounds
    assert runs[0].errors[0] == "ValueError: no True"


def test_a_caller_that_begins_when_the_time_is_over_calls_once() -> None:
    over, called, latencies, errors = threading.Event(), list[int](), list[float](), list[str]()
    over.set()
    _repeat(called.append, 7, over, latencies, errors)
    assert (called, len(latencies), errors) == ([7], 1, [])


def test_a_process_that_cannot_begin_breaks_the_measurement() -> None:
    with pytest.raises(BrokenRunError, match=r"nothing to connect to|BrokenBarrierError"):
        interleave({"unbuildable": unbuildable}, {}, EFFORT)


def test_medians_are_of_the_rounds() -> None:
    runs = [Run(1.0, tuple([float(n)] * n), ()) for n in (1, 2, 9)]
    assert medians(runs) == {
        "per_second": 2.0,
        "per_second_min": 1.0,
        "per_second_max": 9.0,
        "p50_ms": 2.0,
        "p99_ms": 2.0,
    }


def test_no_pair_of_payment_and_amount_is_asked_for_twice() -> None:
    payments = tuple(f"pi_{n}" for n in range(50))
    numbers = [slot * SLOT + step for slot in range(30) for step in range(200)]
    asked = {(one.payment, one.amount_minor) for one in (ask(payments, number) for number in numbers)}
    assert len(asked) == len(numbers)
