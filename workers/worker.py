"""The RQ worker: forks a horse per job, with the settings that RUNNING.md §6 measured."""

from __future__ import annotations

from rq import Worker
from rq.job import Job

from adapters.queue.doorbell import QUEUE, connect, queue_on
from adapters.queue.jobs import IdOnlyJob, IdOnlySerializer
from governor.domain.errors import Unavailable
from workers.process import application, log


class RefundWorker(Worker):
    """Notices within seconds that another worker died: RQ's own heartbeat life is a minute and more."""

    def get_heartbeat_ttl(self, job: Job) -> int:  # noqa: ARG002  RQ's signature
        """Seconds after which a silent job counts as abandoned."""
        return 10


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
    make_worker(app.settings.redis_url.get_secret_value()).work(with_scheduler=False, logging_level="WARNING")
    return 0
