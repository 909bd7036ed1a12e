"""What one job does: all that is due, but not for ever."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from redis import Redis

from adapters.queue.doorbell import queue_on
from governor.domain.lifecycle import State
from tests.builders import World
from workers.drain import DRAIN_SECONDS, drain


def test_a_job_that_has_drained_long_enough_rings_for_the_rest(world: World, redis_url: str) -> None:
    """A worker that is asked to stop waits for its job, so no job may go on while refunds keep coming."""
    world.limit(5000)
    agent = world.caller()
    requests = [world.request(agent, world.payment(5000), 100) for _ in range(20)]
    ticks: Iterator[float] = count(0.0, DRAIN_SECONDS / 2)
    # Time passes for the job alone: a call that is under way has all the time it needs.
    here = threading.current_thread()
    hurried = replace(
        world.app.dispatch_refund,
        monotonic=lambda: next(ticks) if threading.current_thread() is here else 0.0,
    )
    sent = drain(replace(world.app, dispatch_refund=hurried), requests[0].id)
    states = {world.now(request).state for request in requests}
    assert 0 < sent < 20
    assert states == {State.SUCCEEDED, State.QUEUED}, "nothing is left half done"
    with Redis.from_url(redis_url) as connection:
        (job,) = queue_on(connection).get_jobs()
    assert job.args == (requests[0].id,) or job.args == [requests[0].id]
    assert world.drain(requests[0]) == 20 - sent
