"""An endpoint of somebody else's: takes HTTP calls, keeps them, and answers as a test wants, however badly.

with Receiver() as receiver:
    receiver.answers = status(503)      # from now on
    receiver.calls[0].headers["webhook-id"]
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.stack import PATIENCE_SECONDS


@dataclass(frozen=True)
class Got:
    """One call, as it came in."""

    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[socket.socket], None]


def status(number: int, *more: str) -> Answer:
    """An answer with this status and these header lines."""
    head = "\r\n".join([f"HTTP/1.1 {number} Said", *more, "Content-Length: 2", "Connection: close"])
    return lambda sock: sock.sendall(f"{head}\r\n\r\nok".encode())


def status_after(wanted: threading.Event, number: int = 200) -> Answer:
    """An answer that waits until the test lets it go."""

    def answer(sock: socket.socket) -> None:
        assert wanted.wait(PATIENCE_SECONDS)
        status(number)(sock)

    return answer


@dataclass
class Receiver:
    """A server on this machine; `tls` makes it speak HTTPS."""

    tls: ssl.SSLContext | None = None
    answers: Answer = field(default_factory=lambda: status(200))
    calls: list[Got] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, name="receiver")]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive(), "a call to the receiver does not end"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,), name="receiver call")
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(PATIENCE_SECONDS)
        try:
            with self.tls.wrap_socket(sock, server_side=True) if self.tls else sock as spoken:
                self.calls.append(_read(spoken))
                self.answers(spoken)
        except OSError:
            sock.close()  # the caller has hung up, as it may


def _read(sock: socket.socket) -> Got:
    with sock.makefile("rb") as stream:
        target = stream.readline().decode().split(" ")[1]
        headers = {}
        while line := stream.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return Got(target, headers, stream.read(int(headers["content-length"])))
