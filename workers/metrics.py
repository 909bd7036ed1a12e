"""Shows figures to Prometheus. It decides nothing and writes nothing: whoever does not run it misses nothing else."""

from __future__ import annotations

import os

from governor.metrics.collector import BooksCollector
from governor.metrics.listener import LISTEN, listen, serve
from workers.process import application, log, stop_on_signals

BIND = "GOVERNOR_METRICS_BIND"


def main() -> int:
    """The process."""
    try:
        server = listen(os.environ.get(BIND, LISTEN), BooksCollector(application()))
    except (OSError, ValueError) as error:
        log.error("metrics.no_listener", detail=str(error))
        return 1
    host, port = server.server_address[:2]
    log.info("metrics.started", host=str(host), port=port)
    serve(server, stop_on_signals())
    return 0
