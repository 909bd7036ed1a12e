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
from adapters.queue.jobs import DISPATCH, READ_INBOX, IdOnlyJob, IdOnlySerializer, JobRefused, job_for
from governor.domain.lifecycle import State
from tests.builders import World
from tests.journeys.mark import leave_a_mark
from tests.stack import Stack, eventually

MARK = "tests.journeys.mark.leave_a_mark"
SOME_ID = "rr_" + "0" * 26
SOME_EVENT = "evt_" + "A" * 24


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
    # Each job takes ids of its own kind only.
    crossed = by_json.enqueue(READ_INBOX, SOME_ID)
    path = by_json.enqueue(READ_INBOX, f"evt_{mark}")
    return [job.id for job in (by_pickle, named, called_back, acting, more, keyword, crossed, path)]


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


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (DISPATCH, [SOME_EVENT]),
        (READ_INBOX, [SOME_ID]),
        (READ_INBOX, ["evt_"]),
        (READ_INBOX, ["evt_" + "A" * 121]),
        (READ_INBOX, ["evt_a/../b"]),
        (READ_INBOX, ["evt_a\n"]),
        (READ_INBOX, [SOME_EVENT, SOME_EVENT]),
        (READ_INBOX, [[SOME_EVENT]]),
        (READ_INBOX, SOME_EVENT),
        ("workers.jobs.log", [SOME_EVENT]),
        (None, [SOME_EVENT]),
        ([READ_INBOX], [SOME_EVENT]),
    ],
)
def test_a_job_with_another_kind_of_id_is_refused(function: object, arguments: object) -> None:
    with pytest.raises(JobRefused):
        IdOnlySerializer.loads(IdOnlySerializer.dumps([function, None, arguments, {}]))


def test_an_id_rings_its_own_job_and_no_other_id_rings() -> None:
    assert (job_for(SOME_ID), job_for(SOME_EVENT)) == (DISPATCH, READ_INBOX)
    for job, some_id in ((DISPATCH, SOME_ID), (READ_INBOX, SOME_EVENT)):
        data: list[object] = [job, None, [some_id], {}]
        assert IdOnlySerializer.loads(IdOnlySerializer.dumps(data)) == data
    for nothing in ("", "rr_1", "re_1", "evt_", "evt_ä"):
        with pytest.raises(JobRefused):
            job_for(nothing)


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
        queue_on(redis).enqueue(READ_INBOX, SOME_EVENT)
        stack.start("worker", "relay")
        request = world.request(world.caller(), world.payment(5000), 1500)
        eventually(lambda: world.now(request).state is State.SUCCEEDED, lambda: stack.said("worker"))
        eventually(lambda: redis.llen(f"rq:queue:{QUEUE}") == 0, lambda: stack.said("worker"))
    assert not mark.exists(), "code that an attacker named has run"
    assert "job.unknown_request" in stack.said("worker")
    assert "job.unknown_event" in stack.said("worker")
    assert len(world.writes()) == 1
