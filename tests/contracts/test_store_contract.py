"""What every store promises (governor.ports.store): the one in memory answers whatever it is asked as PostgreSQL does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from adapters.memory.unit_of_work import MemoryUnitOfWork
from adapters.sql.engine import make_engine
from adapters.sql.unit_of_work import SqlUnitOfWork
from governor.domain.environments import Environment, Mode
from governor.sim.run import live
from tests.contracts.mirror import Mirror


@pytest.fixture
def sql(database_url: str) -> Iterator[SqlUnitOfWork]:
    engine = make_engine(database_url, pool_size=2)
    yield SqlUnitOfWork(engine, timedelta)
    engine.dispose()


@pytest.mark.parametrize("seed", [31, 52, 58])
def test_the_store_in_memory_answers_as_postgresql_does(sql: SqlUnitOfWork, seed: int) -> None:
    mirrors: list[Mirror] = []

    def through(memory: MemoryUnitOfWork) -> Mirror:
        mirrors.append(Mirror(memory, sql))
        return mirrors[-1]

    life = live(seed, steps=120, through=through)
    assert life.violation is None
    mirrors[0].compare_everything()
    assert sum(mirrors[0].asked.values()) > 200


def test_calls_taken_one_by_one_are_no_more_than_taken_at_once(sql: SqlUnitOfWork) -> None:
    """A recovery takes them so, within one transaction."""
    founded = sql.now() - timedelta(hours=1)
    environment = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, founded)
    for store in (sql, MemoryUnitOfWork(lambda: founded + timedelta(hours=1))):
        assert store.add_environment(environment)
        with store.environment("test") as tx:
            assert [tx.take_tokens(1) for _ in range(5)] == [1, 0, 0, 0, 0]
