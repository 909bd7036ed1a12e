"""Whoever can write Redis can ring the bell, and nothing else: no code of theirs runs in our worker."""

import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.serializers import JSONSerializer

from adapters.queue.doorbell import QUEUE, queue_on
from adapters.queue.jobs import DISPATCH, IdOnlyJob, IdOnlySerializer
from governor.domain.lifecycle import State
from tests.builders import World
from tests.journeys.mark import leave_a_mark
from tests.stack import Stack, eventually

MARK = "tests.journeys.mark.leave_a_mark"
SOME_ID = "rr_" + "0" * 26


def _forged(redis: Redis, mark: Path) -> list[str]:
    """Jobs as an attacker would put them there; returns their ids."""
    # As it comes, RQ pickles.
    by_pickle = Queue(QUEUE, connection=redis).enqueue(leave_a_mark, str(mark))
    by_json = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
    named = by_json.enqueue(MARK, str(mark))
    called_back = by_json.enqueue(DISPATCH, SOME_ID)
    redis.hset(
        f"rq:job:{called_back.id}",
        mapping={
            "success_callback_name": MARK,
            "failure_callback_name": MARK,
            "stopped_callback_name": MARK,
        },
    )
    # A pickle that would act while it is read, as the data of a job that names our own function.
    acting = by_json.enqueue(DISPATCH, SOME_ID)
    redis.hset(f"rq:job:{acting.id}", "data", zlib.compress(pickle.dumps(_Acting(str(mark)))))
    more = by_json.enqueue(DISPATCH, SOME_ID, str(mark))
    keyword = by_json.enqueue(DISPATCH, request_id=SOME_ID)
    return [job.id for job in (by_pickle, named, called_back, acting, more, keyword)]


class _Acting:
    def __init__(self, mark: str) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return leave_a_mark, (self._mark,)


def test_a_forged_job_would_run_under_rqs_own_rules(redis_url: str, tmp_path: Path) -> None:
    """So that the test below proves something: the very same jobs, and RQ as it comes."""
    with Redis.from_url(redis_url) as redis:
        ids = _forged(redis, tmp_path / "mark")
        Job.fetch(ids[1], connection=redis, serializer=JSONSerializer).perform()
        assert (tmp_path / "mark").exists()
        (tmp_path / "mark").unlink()
        assert Job.fetch(ids[2], connection=redis, serializer=JSONSerializer).success_callback is leave_a_mark
        acting = Job.fetch(ids[3], connection=redis)
        with pytest.raises(DeserializationError):
            acting.func_name  # noqa: B018 - reading the name is what runs it
        assert (tmp_path / "mark").exists()


def test_our_job_class_has_no_callbacks_whatever_the_hash_says(redis_url: str, tmp_path: Path) -> None:
    with Redis.from_url(redis_url) as redis:
        job = IdOnlyJob.fetch(_forged(redis, tmp_path)[2], connection=redis, serializer=IdOnlySerializer)
        assert [job.success_callback, job.failure_callback, job.stopped_callback] == [None] * 3


def test_a_worker_refuses_what_we_did_not_write_and_lives(
    world: World, stack_of: Callable[..., Stack], tmp_path: Path
) -> None:
    """RELIABILITY C15, C16, §0, 3: pickle, other functions, callbacks, more arguments; then a real job."""
    mark = tmp_path / "mark"
    world.limit(2000)
    stack = stack_of(world)
    with Redis.from_url(world.redis_url) as redis:
        _forged(redis, mark)
        queue_on(redis).enqueue(DISPATCH, SOME_ID)
        stack.start("worker", "relay")
        request = world.request(world.caller(), world.payment(5000), 1500)
        eventually(lambda: world.now(request).state is State.SUCCEEDED, lambda: stack.said("worker"))
        eventually(lambda: redis.llen(f"rq:queue:{QUEUE}") == 0, lambda: stack.said("worker"))
    assert not mark.exists(), "code that an attacker named has run"
    assert "job.unknown_request" in stack.said("worker")
    assert len(world.writes()) == 1
