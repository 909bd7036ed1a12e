"""The listener of the figures: one address, GET alone. For a network that strangers do not reach."""

from __future__ import annotations

import io
import socket
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

from governor.logging import what_broke

log = structlog.get_logger("governor")

PATH = "/metrics"
LOOK_SECONDS = 0.5
"""How soon it hears that it is to stop."""
AT_ONCE = 8
"""So many scrapers are listened to at once; whoever comes beside them is turned away."""
WHOLE_SECONDS = 30.0
"""How long one may take in all, and keep the room of another."""


class _Quiet(WSGIRequestHandler):
    timeout = 5
    """Seconds that a scraper may be silent."""

    def get_stderr(self) -> Any:  # noqa: ANN401  as the library says it: a stream of text
        """Nowhere: what the library prints of an exception holds its text."""
        return io.StringIO()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Nothing: a line for each scrape tells nobody anything."""


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each of a few scrapers: one that is slow keeps nobody waiting, and none keeps the process alive."""

    daemon_threads = True

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  whatever the library makes it with
        super().__init__(*given, **named)
        self._room = threading.BoundedSemaphore(AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  the library's signature
        """In a thread of its own, where there is room for one."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._room.release()  # there is no thread that would
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  the library's signature
        """And then there is room again."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  the library's signature
        """Whoever has not asked and heard in time is heard no more."""
        hurry = threading.Timer(WHOLE_SECONDS, _end, [request])
        hurry.daemon = True
        hurry.start()
        try:
            super().finish_request(request, client_address)
        finally:
            hurry.cancel()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, ARG002  the library's signature
        """A scraper that fell silent, or left: said without the text of the exception."""
        error = sys.exception()
        if error is not None:
            log.warning("metrics.scraper_lost", **what_broke(error))


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Server6(_Server):
    address_family = socket.AF_INET6


def application(collector: Collector) -> WSGIApplication:
    """What answers `GET /metrics`, and nothing else."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    one_at_a_time = threading.Lock()

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH or environ["REQUEST_METHOD"] != "GET":
            start_response("404 Not Found", [("Content-Length", "0")])
            return [b""]
        try:
            with one_at_a_time:
                body = generate_latest(registry)
        except Exception as error:  # noqa: BLE001  whatever it is, its text is told to nobody
            log.error("metrics.not_counted", **what_broke(error))  # noqa: TRY400  no text of it
            start_response("500 Internal Server Error", [("Content-Length", "0")])
            return [b""]
        start_response("200 OK", [("Content-Type", CONTENT_TYPE_LATEST), ("Content-Length", str(len(body)))])
        return [body]

    return answer


def listen(bind: str, collector: Collector) -> WSGIServer:
    """A listener on host:port, or on [IPv6 address]:port; port 0 takes any.

    Raises:
        ValueError: that is no host:port. OSError: somebody else listens there.
    """
    parts = urlsplit(f"//{bind}")
    if parts.hostname is None or parts.port is None:
        raise ValueError(f"{bind} is not host:port")
    server = _Server6 if ":" in parts.hostname else _Server
    return make_server(parts.hostname, parts.port, application(collector), server, _Quiet)


def serve(server: WSGIServer, stop: threading.Event) -> None:
    """Until stopped."""
    server.timeout = LOOK_SECONDS
    with server:
        while not stop.is_set():
            server.handle_request()
