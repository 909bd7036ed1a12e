"""Ringing: put one job with one id into the queue, once for all that is due in its environment."""

from __future__ import annotations

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue

from adapters.queue.jobs import IdOnlyJob, IdOnlySerializer, job_for
from governor.checkpoint import checkpoint
from governor.domain.errors import Unavailable
from governor.ports.world import JobQueue

QUEUE = "governor"
JOB_SECONDS = 600
"""RQ's own limit for a job: longer than any drain of the due rows, which ends by itself."""


def connect(redis_url: str, *, patient: bool = False) -> Redis:
    """A Redis connection. A patient one (workers) rides out a restart of the server for about a minute."""
    if patient:
        retry = Retry(ExponentialBackoff(cap=1, base=0.05), 60)
        return Redis.from_url(redis_url, retry=retry)
    return Redis.from_url(redis_url, socket_connect_timeout=2, socket_timeout=5)


def queue_on(connection: Redis) -> Queue:
    """Our one queue, with our own serializer and job class."""
    return Queue(QUEUE, connection=connection, serializer=IdOnlySerializer, job_class=IdOnlyJob)


class RqDoorbell(JobQueue):
    """`governor.ports.world.JobQueue` on RQ."""

    def __init__(self, redis_url: str) -> None:
        self._connection = connect(redis_url)
        self._queue = queue_on(self._connection)

    def ring(self, some_id: str) -> None:
        """Ask a worker to send what is due in the environment of this request, or to read the inbox of this event.

        Raises:
            Unavailable: the queue cannot be reached; what is due stays due.
        """
        job = job_for(some_id)
        checkpoint("relay.before_enqueue")
        try:
            self._queue.enqueue(job, some_id, result_ttl=0, failure_ttl=3600, job_timeout=JOB_SECONDS)
        except RedisError as error:
            raise Unavailable("queue_unavailable", "The queue cannot be reached.") from error
        checkpoint("relay.enqueued")

    def answers(self) -> bool:
        """Whether Redis answers."""
        try:
            return bool(self._connection.ping())
        except RedisError:
            return False
