"""The RQ worker: forks a horse per job, with the settings that RUNNING.md §6 measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redis.client import Pipeline
from rq import Queue, Worker
from rq.job import Job
from rq.registry import StartedJobRegistry

from adapters.queue.doorbell import QUEUE, connect, queue_on
from adapters.queue.jobs import IdOnlyJob, IdOnlySerializer
from governor.domain.errors import Unavailable
from governor.domain.processes import ProcessKind
from governor.logging import what_broke
from workers.process import application, log


class RefundWorker(Worker):
    """Notices within seconds that another worker died: RQ's own heartbeat life is a minute and more.

    `alive` says in the database, too, that this one lives: where RQ's own heart beats in Redis, so from no thread that
    a horse would inherit. A worker that cannot reach Redis takes no jobs, and says nothing.
    """

    alive: Callable[[], object] = staticmethod(lambda: None)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """RQ's own, and ours behind it. With a pipeline it is a horse's, or sent later by `maintain_heartbeats`."""
        super().heartbeat(timeout, pipeline)
        if pipeline is None:
            self.alive()

    def maintain_heartbeats(self, job: Job) -> None:
        """While a horse works: first what keeps its job its own."""
        super().maintain_heartbeats(job)
        self.alive()

    def get_heartbeat_ttl(self, job: Job) -> int:  # noqa: ARG002  RQ's signature
        """Seconds after which a silent job counts as abandoned."""
        return 10

    def handle_payload(self, message: Any) -> None:  # noqa: ANN401, ARG002  RQ's signature
        """Take no orders: whoever can write Redis could stop workers with them. Supervisors do, by signals."""
        log.warning("worker.order_ignored")

    def handle_exception(self, job: Job, *exc_info: Any) -> None:  # noqa: ANN401  RQ's signature
        """Say what broke, where RQ would print the text of the exception."""
        log.error("job.broke", job=job.id, **what_broke(exc_info[1]))

    def handle_job_failure(
        self,
        job: Job,
        queue: Queue,
        started_job_registry: StartedJobRegistry | None = None,
        exc_string: str = "",  # noqa: ARG002  RQ's signature; it would be kept in Redis
    ) -> None:
        """A job that failed is nothing but a bell that rang in vain: nothing of it is kept in Redis."""
        super().handle_job_failure(job, queue, started_job_registry)


def make_worker(redis_url: str) -> RefundWorker:
    """A worker on our one queue (more than one would lose jobs on a crash: RUNNING.md §6)."""
    connection = connect(redis_url, patient=True)
    return RefundWorker(
        [queue_on(connection)],
        connection=connection,
        serializer=IdOnlySerializer,
        job_class=IdOnlyJob,
        worker_ttl=18,
        maintenance_interval=2,
        job_monitoring_interval=2,
        log_job_description=False,
    )


def main() -> int:
    """The process: everything heavy is built here once, so that a forked horse starts with it."""
    app = application()
    try:
        # Asked once, here: each horse inherits the answer with the fork.
        app.dispatch_refund.provider.read_account()
    except Unavailable as error:
        log.warning("worker.provider_away", code=error.code)
    log.info("worker.started", queue=QUEUE)
    worker = make_worker(app.settings.redis_url.get_secret_value())
    worker.alive = alive = app.oversight.alive(ProcessKind.WORKER)
    try:
        worker.work(with_scheduler=False, logging_level="WARNING")
    finally:
        alive.leave()
    return 0
