"""Many threads set off at the same instant."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from tests.stack import PATIENCE_SECONDS

Result = TypeVar("Result")


def at_once(deeds: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run every deed in a thread of its own, all set off together; their results in order."""
    barrier = Barrier(len(deeds))

    def run(deed: Callable[[], Result]) -> Result:
        barrier.wait(timeout=PATIENCE_SECONDS)
        return deed()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return [future.result() for future in [pool.submit(run, deed) for deed in deeds]]
