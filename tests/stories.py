"""Fixtures for stories: a twin, and worlds whose books are judged when the test is over.

A folder's conftest takes what it needs: `from tests.stories import new_world as new_world`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.books import judge
from tests.builders import World
from tests.twin import Twin


@pytest.fixture(scope="session")
def twin_process() -> Iterator[Twin]:
    """One twin for the session."""
    with Twin() as twin:
        yield twin


@pytest.fixture
def twin(twin_process: Twin) -> Twin:
    """The twin with an empty world and no fault on order."""
    twin_process.reset()
    return twin_process


@pytest.fixture
def new_world(
    database_url: str, redis_url: str, twin: Twin, tmp_path: Path
) -> Iterator[Callable[..., World]]:
    """Builds worlds on this test's database, by default with the twin; then closes them and judges the books.

    `clock=True` gives a world a development clock.
    """
    worlds: list[World] = []

    def build(*, clock: bool = False, **fields: Any) -> World:
        dev_clock = tmp_path / "offset" if clock else None
        world = World(database_url, redis_url, **{"provider": twin, "dev_clock": dev_clock, **fields})
        worlds.append(world)
        return world

    yield build
    findings = [world.app.check_books().findings for world in worlds[:1]]
    for world in worlds:
        world.close()
    assert findings in ([], [()]), "governor's own check of the books finds something"
    on_twin = [world for world in worlds if isinstance(world.provider, Twin)]
    broken = any(world.provider_breaks_its_rules for world in worlds)
    forgetful = any(world.database_forgets for world in worlds)
    judge(database_url, twin.writes() if on_twin else None, broken_provider=broken, forgetful=forgetful)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """One world with the twin."""
    return new_world()
