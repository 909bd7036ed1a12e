from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.builders import World
from tests.stack import Stack
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world


@pytest.fixture
def stack_of(new_world: Callable[..., World], tmp_path: Path) -> Iterator[Callable[..., Stack]]:
    """The real processes on a world's servers; none runs yet, all are stopped before the books are judged.

    Settings can be changed by name, such as `provider_url`.
    """
    del new_world  # it is only asked for so that it is torn down after the processes
    stacks: list[Stack] = []

    def build(world: World, **changed: object) -> Stack:
        stacks.append(Stack(world.app.settings.model_copy(update=changed), tmp_path))
        return stacks[-1]

    yield build
    for stack in stacks:
        stack.__exit__(None, None, None)
