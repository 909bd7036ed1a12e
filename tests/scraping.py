"""Who asks the listener of the figures, as Prometheus does."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from prometheus_client.registry import Collector

from governor.metrics.listener import listen, serve
from tests.stack import PATIENCE_SECONDS


@dataclass(frozen=True)
class Scraper:
    """Asks a listener."""

    host: str
    port: int

    def __call__(self, method: str = "GET", path: str = "/metrics") -> tuple[int, str]:
        """Status and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_SECONDS)
        connection.request(method, path)
        answer = connection.getresponse()
        said = answer.status, answer.read().decode()
        connection.close()
        return said


@contextmanager
def serving(collector: Collector, host: str = "127.0.0.1") -> Iterator[Scraper]:
    """A listener on a free port of this machine."""
    server = listen(f"[{host}]:0" if ":" in host else f"{host}:0", collector)
    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(server, stop))
    thread.start()
    try:
        yield Scraper(host, server.server_port)
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
