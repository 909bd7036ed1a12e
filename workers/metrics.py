"""Shows figures to Prometheus. It decides nothing and writes nothing: whoever does not run it misses nothing else."""

from __future__ import annotations

import os

from governor.metrics.address import LISTEN
from governor.metrics.collector import BooksCollector
from governor.metrics.listener import listen, serve
from workers.process import application, log, stop_on_signals

BIND = "GOVERNOR_METRICS_BIND"


def main() -> int:
    """The process."""
    bind = os.environ.get(BIND, LISTEN)
    try:
        server = listen(bind, BooksCollector(application()))
    except ValueError:
        log.error("metrics.no_address", says=f"{BIND} is to be host:port")
        return 1
    except OSError as error:
        says = "somebody else listens there, or the address is not of this machine"
        log.error("metrics.no_listener", bind=bind, says=says, error=type(error).__name__)
        return 1
    log.info("metrics.started", port=server.server_port)
    serve(server, stop_on_signals())
    return 0
