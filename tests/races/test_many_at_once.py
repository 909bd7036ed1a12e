from collections import Counter
from functools import partial

import psycopg
import pytest

from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from tests.builders import World, close
from tests.races.at_once import at_once
from tests.servers import libpq


def _states(requests: list[RefundRequest]) -> Counter[str]:
    return Counter(str(request.denial or request.state) for request in requests)


def _counters(world: World) -> int:
    with psycopg.connect(libpq(world.database_url)) as session:
        row = session.execute("SELECT count(*) FROM counters").fetchone()
    assert row is not None
    return int(row[0])


def test_of_fifty_requests_at_once_exactly_those_that_fit_are_admitted(world: World) -> None:
    """Case 17: 10000 a day, 50 parallel × 1000."""
    limit, agent = world.limit(10000), world.caller()
    payments = [world.payment(5000) for _ in range(50)]
    requests = at_once([partial(world.request, agent, payment, 1000) for payment in payments])
    assert _states(requests) == {"queued": 10, "limit_exceeded": 40}
    assert world.headroom(limit) == 0
    first = next(request for request in requests if request.hold)
    assert world.drain(first) == 10
    assert len(world.writes()) == 10


def test_holds_that_are_not_sent_yet_count(world: World) -> None:
    """Case 30: 5000, six holds × 1000, nothing dispatched: the sixth is refused."""
    world.limit(5000)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 1000) for _ in range(6)]
    assert [str(request.denial or request.state) for request in requests] == ["queued"] * 5 + [
        "limit_exceeded"
    ]


@pytest.mark.parametrize("scope", [Scope.AGENT, Scope.CUSTOMER, Scope.PAYMENT, Scope.CREDENTIAL])
def test_the_first_requests_of_somebody_never_seen_share_one_counter(world: World, scope: Scope) -> None:
    """Case 18 and RELIABILITY A26: 8 × 1000 under a limit of 1000 for each value; the row is born once."""
    world.limit(1000, scope=scope)
    agent = world.caller()
    one_payment = world.payment(50000, customer="cus_first")
    payments = [
        one_payment if scope is Scope.PAYMENT else world.payment(5000, customer="cus_first") for _ in range(8)
    ]
    # Half of them come through another process's application, with its own view of the limits.
    other = world.another_process()
    try:
        deeds = [
            partial(world.request, agent, payment, 1000 - n, app=other if n % 2 else world.app)
            for n, payment in enumerate(payments)
        ]
        requests = at_once(deeds)
    finally:
        close(other)
    assert _states(requests) == {"queued": 1, "limit_exceeded": 7}
    assert _counters(world) == 1
