from collections.abc import Iterator

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from tests.cli.story import Story, begin, play
from tests.servers import fresh_database
from tests.twin import Twin


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


@pytest.fixture(scope="module")
def story(
    postgres_server: EmbeddedPostgres, redis_server: EmbeddedRedis, migrated_template: str, twin: Twin
) -> Iterator[Story]:
    """A story that has been played. Tests that change its books change a copy."""
    with fresh_database(postgres_server, migrated_template) as url:
        begun = begin(url, redis_server.url, twin)
        try:
            play(begun)
            yield begun
        finally:
            begun.app.engine.dispose()
