from collections.abc import Iterator
from multiprocessing import resource_tracker

import pytest


@pytest.fixture(scope="session", autouse=True)
def _no_tracker_is_left_behind() -> Iterator[None]:
    """Spawning a process starts a tracker beside it that otherwise lives as long as this process."""
    yield
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]  # there is no public way
