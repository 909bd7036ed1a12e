"""RQ's own accidents: what its bookkeeping believes of a job changes nothing about a refund."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest
from redis import Redis
from rq.job import Job
from rq.registry import FailedJobRegistry, StartedJobRegistry
from rq.results import Result

from adapters.queue.doorbell import queue_on
from governor.domain.lifecycle import State
from governor.domain.recovery import REPLAYS
from tests.crashes.dying import Child, Fault, Place, Told
from tests.crashes.going_on import goes_on
from tests.crashes.stage import Stage
from tests.crashes.stories import STORIES
from tests.twin import UNTIL_FORGOTTEN
from workers import jobs, relay
from workers.drain import drain
from workers.worker import RefundWorker, make_worker

NOWHERE = Place("nowhere")


@pytest.fixture
def redis(stage: Stage) -> Iterator[Redis]:
    with Redis.from_url(stage.world.redis_url) as connection:
        yield connection


@pytest.fixture
def job(stage: Stage, redis: Redis) -> Job:
    """A request is queued, and its job rung."""
    stage.ask()
    relay.run_once(stage.world.app)
    (job,) = queue_on(redis).jobs
    return job


def _working(stage: Stage, sabotage: Callable[[RefundWorker], None] = lambda _: None) -> Child:
    """The real worker, in a process of its own, until the queue is empty; it forks a horse for each job."""

    def deed() -> Any:
        jobs.application = lambda: stage.world.app  # type: ignore[attr-defined, assignment]  # where a job looks
        worker = make_worker(stage.world.redis_url)
        sabotage(worker)
        return worker.work(burst=True, logging_level="ERROR")

    return Child(deed, NOWHERE, Fault.KILL)


def _worker(stage: Stage, sabotage: Callable[[RefundWorker], None] = lambda _: None) -> Told:
    """The worker's whole life."""
    return _working(stage, sabotage).end()


def _at_start(what: int) -> Callable[[RefundWorker], None]:
    """A signal between the dequeuing of the job and the moment when the worker says that it is busy."""

    def sabotage(worker: RefundWorker) -> None:
        begin = worker.execute_job

        def execute(job: Job, queue: Any) -> None:
            os.kill(os.getpid(), what)
            begin(job, queue)

        worker.execute_job = execute  # type: ignore[method-assign]  # of this one object, in this child

    return sabotage


@pytest.mark.parametrize("what", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_goes_between_dequeue_and_start_loses_no_refund(
    stage: Stage, redis: Redis, job: Job, what: int
) -> None:
    """Case 79, RELIABILITY C13: the job is in no queue any more; the sweep rings for the request."""
    _worker(stage, _at_start(what))
    assert queue_on(redis).job_ids == []
    goes_on(stage, STORIES["job"])
    assert job.args == [stage.known().id]
    stage.judge(executed=1)


def test_a_worker_does_what_was_rung(stage: Stage, job: Job) -> None:
    assert _worker(stage).error is None
    assert stage.state() is State.SUCCEEDED
    assert job.args == [stage.known().id]
    stage.judge(executed=1)


def test_a_finished_job_that_is_reported_abandoned_releases_nothing(
    stage: Stage, redis: Redis, job: Job
) -> None:
    """Case 81, RELIABILITY C8, C18: the refund is made, and RQ believes that its job died; later it runs it again."""
    queue = queue_on(redis)
    queue.remove(job)
    started = StartedJobRegistry(queue=queue, job_class=type(job))
    redis.zadd(started.key, {f"{job.id}:an-execution": 1})  # its worker has not been heard of since 1970
    drain(stage.world.app, stage.known().id)
    assert (stage.state(), stage.used()) == (State.SUCCEEDED, 1500)
    started.cleanup()
    failed = FailedJobRegistry(queue=queue, job_class=type(job))
    assert failed.get_job_ids() == [job.id]
    assert (stage.state(), stage.used()) == (State.SUCCEEDED, 1500)
    failed.requeue(job.id)
    assert _worker(stage).error is None
    stage.judge(executed=1)


def test_a_job_that_ran_out_of_time_is_no_answer_of_the_provider(
    stage: Stage, redis: Redis, job: Job
) -> None:
    """RELIABILITY C17: RQ's own time limit strikes during the call, which is heard to its end."""
    stage.twin.fault("delay_before", delay_ms=UNTIL_FORGOTTEN, method="POST", path="/v1/refunds")
    worker = _working(stage)
    stage.twin.until(lambda: "POST" in {call["method"] for call in stage.twin.calls()})
    (horse,) = psutil.Process(worker.pid).children()
    horse.send_signal(signal.SIGALRM)  # as RQ has ordered it for when the time is up
    stage.twin.forget_faults()
    assert worker.end().error is None
    request = stage.known()
    assert (request.state, request.attempts) == (State.SUCCEEDED, 1)
    assert FailedJobRegistry(queue=queue_on(redis), job_class=type(job)).get_job_ids() == [job.id]
    stage.judge(executed=1)


@pytest.mark.usefixtures("job")
def test_orders_that_come_through_redis_stop_no_worker_and_no_job(stage: Stage) -> None:
    """RELIABILITY C21, §5.2 T23: whoever can write Redis rings bells, and does no more than that."""
    stage.twin.fault("delay_before", delay_ms=1000, method="POST", path="/v1/refunds")

    def sabotage(worker: RefundWorker) -> None:
        fork = worker.fork_work_horse

        def forked(job: Job, queue: Any) -> None:
            fork(job, queue)
            for order in ("shutdown", "kill-horse", "stop-job"):
                told = json.dumps({"command": order, "job_id": job.id})
                assert worker.connection.publish(worker.pubsub_channel_name, told) == 1, "it is heard"

        worker.fork_work_horse = forked  # type: ignore[method-assign]  # of this one object, in this child

    assert _worker(stage, sabotage).error is None
    request = stage.known()
    assert (request.state, request.attempts) == (State.SUCCEEDED, 1)
    stage.judge(executed=1)


def test_a_job_that_breaks_leaves_nothing_of_what_broke_in_redis(
    stage: Stage, redis: Redis, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 18: what an exception says may be anything; the sweep rings for the request again."""

    def breaks(*_: object) -> int:
        raise LookupError("Anna Muster, 4 Mill Lane")

    monkeypatch.setattr(jobs, "drain", breaks)
    assert _worker(stage).error is None
    assert FailedJobRegistry(queue=queue_on(redis), job_class=type(job)).get_job_ids() == [job.id]
    (kept,) = Result.all(job)
    assert (kept.type, kept.exc_string) == (Result.Type.FAILED, "")
    monkeypatch.undo()
    goes_on(stage, STORIES["job"])
    stage.judge(executed=1)


def test_a_job_that_kills_each_of_its_workers_ends_with_an_operator(stage: Stage) -> None:
    """RELIABILITY C19: attempts are counted in the database; nothing was sent, nothing is released, it is flagged."""
    STORIES["job"].prepare(stage)
    for hours in range(1, 14):
        Child(lambda: STORIES["job"].deed(stage), Place("gate.passed"), Fault.KILL).end()
        stage.world.advance(hours * 3700)
        stage.world.app.recover_leases(stage.world.environment)
    request = stage.known()
    assert (request.state, request.attempts, stage.used()) == (State.UNKNOWN, 1 + REPLAYS, 1500)
    assert request.flagged_at is not None
    stage.judge(executed=0)
