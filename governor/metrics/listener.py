"""The listener of the figures: one scrape at a time, one address, GET alone. For a network that strangers do not reach."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

PATH = "/metrics"
LISTEN = "127.0.0.1:9464"
"""Where it listens when nobody says otherwise: on this machine alone."""
LOOK_SECONDS = 0.5
"""How soon it hears that it is to stop."""


class _Quiet(WSGIRequestHandler):
    timeout = 5
    """Seconds that a scraper may be silent: the next one waits."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Nothing: a line for each scrape tells nobody anything."""


def application(collector: Collector) -> WSGIApplication:
    """What answers `GET /metrics`, and nothing else."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH or environ["REQUEST_METHOD"] != "GET":
            start_response("404 Not Found", [("Content-Length", "0")])
            return [b""]
        body = generate_latest(registry)
        start_response("200 OK", [("Content-Type", CONTENT_TYPE_LATEST), ("Content-Length", str(len(body)))])
        return [body]

    return answer


def listen(bind: str, collector: Collector) -> WSGIServer:
    """A listener on host:port; port 0 takes any.

    Raises:
        ValueError: that is no host:port. OSError: somebody else listens there.
    """
    parts = urlsplit(f"//{bind}")
    if parts.hostname is None or parts.port is None:
        raise ValueError(f"{bind} is not host:port")
    return make_server(parts.hostname, parts.port, application(collector), WSGIServer, _Quiet)


def serve(server: WSGIServer, stop: threading.Event) -> None:
    """Until stopped."""
    server.timeout = LOOK_SECONDS
    with server:
        while not stop.is_set():
            server.handle_request()
