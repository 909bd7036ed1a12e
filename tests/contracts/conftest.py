"""The worlds in which every payment provider keeps its promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contracts.worlds import FakeWorld, MemoryWorld, ProviderWorld, TwinWorld
from tests.twin import Twin


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


@pytest.fixture(params=["fake", "memory", "stripe"])
def world(request: pytest.FixtureRequest) -> ProviderWorld:
    if request.param == "fake":
        return FakeWorld()
    if request.param == "memory":
        return MemoryWorld()
    twin: Twin = request.getfixturevalue("twin")
    twin.reset()
    return TwinWorld(twin)
