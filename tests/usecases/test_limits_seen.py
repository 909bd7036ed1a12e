"""Limits are read anew only when one has changed, and whenever the database may be another one."""

from sqlalchemy import text

from governor.domain.limits import Limit
from tests.builders import World


def _caps(world: World) -> list[int]:
    with world.app.store.environment(world.environment) as tx:
        return [limit.cap for limit in tx.active_limits()]


def _put_back(world: World, limit: Limit, cap: int) -> None:
    """Another database has the same revision, and means another cap by it."""
    other = world.another_process()
    with other.engine.begin() as connection:
        connection.execute(
            text("UPDATE limit_changes SET cap = :cap WHERE limit_id = :id"), {"cap": cap, "id": limit.id}
        )
    other.engine.dispose()
    other.doorbell._connection.close()


def test_a_limit_that_nobody_changed_is_not_read_again(world: World) -> None:
    limit = world.limit(2000)
    assert _caps(world) == [2000]
    _put_back(world, limit, 1000)
    assert _caps(world) == [2000], "its revision is the same"


def test_a_connection_that_is_made_anew_reads_them_anew(world: World) -> None:
    limit = world.limit(2000)
    assert _caps(world) == [2000]
    _put_back(world, limit, 1000)
    world.app.engine.dispose()
    assert _caps(world) == [1000]
