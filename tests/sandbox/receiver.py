"""A webhook receiver: a real HTTP server that keeps what it was sent and answers as it is told."""

import http.server
import threading
from types import TracebackType
from typing import Any, Self

import stripe

from tests.stack import PATIENCE_SECONDS


class Receiver:
    """Takes deliveries until it is closed. ``status`` is what it answers with."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self._arrived: list[tuple[bytes, str]] = []
        self._news = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver._take(body, self.headers["Stripe-Signature"])
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                """Tests read the deliveries, not a log."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait_for(self, number: int) -> list[tuple[bytes, str]]:
        """The first deliveries, ``(raw body, signature)``, once so many arrived."""
        with self._news:
            assert self._news.wait_for(lambda: len(self._arrived) >= number, PATIENCE_SECONDS), self._arrived
            return list(self._arrived)

    def events(self, number: int, secret: str) -> list[Any]:
        """The first deliveries as events whose signatures hold."""
        return [
            stripe.Webhook.construct_event(body, signature, secret).to_dict()
            for body, signature in self.wait_for(number)
        ]

    @property
    def count(self) -> int:
        """How many deliveries arrived so far."""
        with self._news:
            return len(self._arrived)

    def _take(self, body: bytes, signature: str) -> int:
        with self._news:
            self._arrived.append((body, signature))
            self._news.notify_all()
            return self.status
