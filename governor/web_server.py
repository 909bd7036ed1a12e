"""How the web process is served: gunicorn's settings, and a worker that slow clients cannot stop (RELIABILITY §0.4).

Started as ``gunicorn --config python:governor.web_server governor.wsgi:application``. gunicorn's own ``gthread``
worker gives a thread to every connection before its first byte, waits for the rest of a request without end, and
closes connections patiently in the one thread that accepts them: as many half-sent bodies as threads stop it, and so
do clients that merely do not hang up. Here only whole requests get a thread, and closing happens in it.
"""

import os
import selectors
import time
from concurrent.futures import Future
from functools import partial
from typing import Final, cast

from gunicorn import util
from gunicorn.arbiter import Arbiter
from gunicorn.http.parser import RequestParser
from gunicorn.workers.base import Worker
from gunicorn.workers.gthread import TConn, ThreadWorker

from governor.heart import Heart, LivingApplication
from governor.whole_request import CollectingSocket

# A whole request, head and body, arrives in this time or not at all: 64 KiB, the API's largest body, at 11 KiB/s;
# a webhook of 1 MiB, which only Stripe's own servers send, at 175 KiB/s.
RECEIVE_SECONDS: Final = 6.0
# How long a connection that is being closed may still drain, so that the client can read the last answer.
LINGER_SECONDS: Final = 0.5


class WholeRequestWorker(ThreadWorker):
    """gunicorn's threads, given only to requests that are all there, and only for a bounded time."""

    def enqueue_req(self, conn: TConn) -> None:
        """Gives a connection to the threads if its next request is whole, and else watches it until it is."""
        if not isinstance(conn.sock, CollectingSocket):
            conn.sock = CollectingSocket(conn.sock)
        if conn.sock.complete:
            conn.data_ready = True
            super().enqueue_req(conn)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + RECEIVE_SECONDS
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._collect, conn))

    def _collect(self, conn: TConn, client: CollectingSocket) -> None:
        """Takes what has arrived on a connection that is watched."""
        client.collect()
        if client.complete:
            self.on_pending_socket_readable(conn, client)

    def handle(self, conn: TConn) -> bool:
        """Serves one request and, when it was the last, closes here: gunicorn would linger where it accepts."""
        client = cast("CollectingSocket", conn.sock)
        client.limit(RECEIVE_SECONDS)
        kept = super().handle(conn)
        if not kept:
            client.limit(LINGER_SECONDS)
            util.close_graceful(client, timeout=LINGER_SECONDS)
        return kept

    def finish_request(self, conn: TConn, fs: "Future[bool]") -> None:
        """Goes on with a request that came together with the one before; the poller cannot see that it is there."""
        client = cast("CollectingSocket", conn.sock)
        if isinstance(conn.parser, RequestParser) and not fs.cancelled() and fs.result():
            client.give_back(conn.parser.unreader.take_buffered())
            if client.has_more:
                self.enqueue_req(conn)
                return
        super().finish_request(conn, fs)


def _heart(worker: Worker) -> Heart | None:
    served: object = worker.wsgi
    return served.heart if isinstance(served, LivingApplication) else None


# From here on the names are gunicorn's.


def post_worker_init(worker: Worker) -> None:
    """Each process that serves says for itself that it lives: threads do not survive the fork."""
    if (heart := _heart(worker)) is not None:
        heart.start()


def worker_exit(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001  gunicorn's signature
    """It has served its last request."""
    if (heart := _heart(worker)) is not None:
        heart.stop()


worker_class = "governor.web_server.WholeRequestWorker"
workers = int(os.environ.get("GOVERNOR_WEB_WORKERS", "2"))
threads = int(os.environ.get("GOVERNOR_WEB_THREADS", "16"))
preload_app = True
keepalive = 5
# A request is decided in milliseconds; `Prefer: wait` may hold one for 25 seconds (API.md), and stopping lets it end.
graceful_timeout = 30
timeout = 60
# A control socket would be one more door, and nobody here uses it.
control_socket_disable = True
# Whether the caller came by https; who it was is governor.http.forwarded's to say.
forwarded_allow_ips = os.environ.get("GOVERNOR_TRUSTED_PROXIES", "127.0.0.1,::1")
loglevel = "warning"
