"""The jobs: doorbells. Each carries one id and does what is due in the environment of what it names."""

from __future__ import annotations

from workers.drain import drain
from workers.process import application, log


def dispatch(request_id: str) -> int:
    """Send everything due in the environment of this request; returns how many were sent."""
    return drain(application(), request_id)


def read_inbox(event_id: str) -> int:
    """Read every event that is due where this one was received; returns how many were read."""
    app = application()
    environment = app.inbox.environment_of(event_id)
    if environment is None:
        log.warning("job.unknown_event")
        return 0
    read = app.read_inbox(environment)
    log.info("inbox.read", environment=environment, events=read)
    return read
