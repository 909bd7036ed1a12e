"""tests/books.py judges every story, so it must be able to find something."""

import psycopg
import pytest

from tests.books import judge
from tests.builders import World
from tests.servers import libpq

PLANTED = [
    ("UPDATE counters SET reserved = reserved + 1", "UPDATE counters SET reserved = reserved - 1"),
    ("UPDATE counters SET settled = settled + 1", "UPDATE counters SET settled = settled - 1"),
    ("UPDATE payments SET settled = settled + 1", "UPDATE payments SET settled = settled - 1"),
    (
        "UPDATE holds SET state = 'held', settled = 0 WHERE state = 'settled'",
        "UPDATE holds SET state = 'settled', settled = amount WHERE state = 'held'",
    ),
    (
        "UPDATE environments SET audit_seq = audit_seq + 1",
        "UPDATE environments SET audit_seq = audit_seq - 1",
    ),
    (
        "UPDATE refund_requests SET limits = jsonb_set(limits, '{0,reserved}', '9000')",
        "UPDATE refund_requests SET limits = jsonb_set(limits, '{0,reserved}', '0')",
    ),
]


@pytest.mark.parametrize(("plant", "undo"), PLANTED)
def test_a_planted_error_is_found(world: World, plant: str, undo: str) -> None:
    world.limit(2000)
    world.drain(world.request(world.caller(), world.payment(5000), 1500))
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        session.execute(plant.encode())
        with pytest.raises(AssertionError):
            judge(world.database_url, world.writes())
        session.execute(undo.encode())


def test_money_that_left_twice_or_for_nobody_is_found(world: World) -> None:
    world.limit(2000)
    world.drain(world.request(world.caller(), world.payment(5000), 1500))
    (write,) = world.writes()
    for wrong in (
        [],
        [write, write],
        [write | {"amount": 1501}],
        [write | {"idempotency_key": "governor-rr_nobody"}],
    ):
        with pytest.raises(AssertionError):
            judge(world.database_url, wrong)
