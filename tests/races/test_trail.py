"""One audit trail, however many write at the same moment. RELIABILITY §3 K1, §5.4."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from threading import Thread

import pytest

from tests.builders import World, ask
from tests.races.at_once import at_once
from tests.races.ring import Ring

WRITERS = 50
PROCESSES = 8
TRANSACTIONS, ROWS = 25, 50
"""Of each process: 10,000 rows altogether, in 200 transactions that all want the same head."""


@pytest.fixture(scope="module")
def eight_processes() -> Iterator[Ring]:
    with Ring(PROCESSES) as ring:
        yield ring


def test_the_rows_of_fifty_parallel_writers_verify(world: World) -> None:
    world.limit(10**9)
    agents = [world.caller(name=f"agent {n}") for n in range(WRITERS)]
    payments = [world.payment(500) for _ in agents]
    before = world.app.audit.verify("test").last
    deeds = [
        partial(world.answer, agent, ask(payment, 100))
        for agent, payment in zip(agents, payments, strict=True)
    ]
    answers = at_once(deeds)
    verdict = world.app.audit.verify("test")
    assert (verdict.broken, verdict.rows) == (None, before + WRITERS)
    with world.app.store.reading() as reads:
        rows = reads.audit("test", after=before, at_most=100)
    assert {row.entry.object for row in rows} == {answer.request.id for answer in answers}
    assert {row.entry.actor for row in rows} == {agent.credential.id for agent in agents}


def test_ten_thousand_rows_of_eight_processes_have_no_gap_and_no_fork(
    world: World, eight_processes: Ring
) -> None:
    eight_processes.enter(world.app.settings)
    before = world.app.audit.verify("test").last
    order = {"do": "append", "environment": "test", "transactions": TRANSACTIONS, "rows": ROWS}
    names = [f"process {n}" for n in range(PROCESSES)]
    done = eight_processes.race(*(order | {"name": name} for name in names))
    assert [one["appended"] for one in done] == [TRANSACTIONS * ROWS] * PROCESSES
    verdict = world.app.audit.verify("test")
    assert (verdict.broken, verdict.rows) == (None, before + 10_000)
    stretch = world.app.audit.read.stretch("test", before + 1, None)
    objects = [row.entry.object for row in world.app.audit.read.along(stretch)]
    assert Counter(objects) == dict.fromkeys(names, TRANSACTIONS * ROWS)
    changes = sum(one != other for one, other in pairwise(objects))
    assert changes > PROCESSES, "they wrote one after the other: this is no race"


def test_a_trail_is_verified_while_it_grows(world: World, eight_processes: Ring) -> None:
    eight_processes.enter(world.app.settings)
    order = {"do": "append", "environment": "test", "transactions": 10, "rows": 20, "name": "writer"}
    writing = Thread(target=eight_processes.race, args=[order] * PROCESSES)
    lengths = [world.app.audit.verify("test").last]
    writing.start()
    while writing.is_alive():
        verdict = world.app.audit.verify("test")
        assert verdict.broken is None
        lengths.append(verdict.last)
    writing.join()
    assert lengths == sorted(lengths)
    assert world.app.audit.verify("test").rows == lengths[0] + PROCESSES * 10 * 20
