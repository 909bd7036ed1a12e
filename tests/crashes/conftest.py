from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from tests.builders import World
from tests.crashes.stage import Stage
from tests.receiver import Receiver
from tests.servers import empty_redis, fresh_database, libpq
from tests.stories import twin_process as twin_process
from tests.twin import Twin


@pytest.fixture(scope="module")
def shared_stage(
    postgres_server: EmbeddedPostgres,
    migrated_template: str,
    redis_server: EmbeddedRedis,
    twin_process: Twin,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    """One application for all cases of a module: what is expensive is there before anything is forked."""
    clock: Path = tmp_path_factory.mktemp("clock") / "offset"
    with (
        fresh_database(postgres_server, migrated_template) as url,
        empty_redis(redis_server) as redis_url,
        Receiver() as receiver,
    ):
        twin_process.reset()
        world = World(url, redis_url, twin_process, dev_clock=clock)
        superuser = libpq(postgres_server.superuser_url(url.rpartition("/")[2]))
        with psycopg.connect(superuser, autocommit=True) as session:
            yield Stage(world, session, clock.parent / "secrets", twin_process, receiver)
        world.close()


@pytest.fixture
def stage(shared_stage: Stage) -> Stage:
    """An empty world with a client who wants 1500 of 5000."""
    shared_stage.new_case()
    return shared_stage
