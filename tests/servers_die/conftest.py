from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from tests.journeys.conftest import stack_of as stack_of
from tests.standby import Pair, pair_of_servers
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world


@pytest.fixture
def pair(postgres_server: EmbeddedPostgres, migrated_template: str, tmp_path: Path) -> Iterator[Pair]:
    """A primary with a standby that follows it, of this test's own."""
    assert migrated_template
    with pair_of_servers(postgres_server, tmp_path) as pair:
        yield pair
