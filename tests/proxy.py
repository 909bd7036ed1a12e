"""A TCP proxy that loses what it is told to lose, byte by byte: between the application and PostgreSQL or Redis.

with Proxy(database_url) as proxy:
    app = application(proxy.url, …)
    proxy.cut_answer_to(b"COMMIT", after=3)       # the next one; afterwards it is honest again
"""

from __future__ import annotations

import socket
import struct
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.stack import PATIENCE_SECONDS

_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends a reset, as a host that died does."""


@dataclass
class _Cut:
    """The order: the connection that sends `word` after `following` is cut when so many bytes of the answer have passed.

    A negative number cuts it instead when so many bytes are still missing of what was sent.
    """

    word: bytes
    after: int
    following: bytes


@dataclass
class _Connection:
    client: socket.socket
    server: socket.socket
    passing: int | None = None
    """Bytes of the answer that may still pass; None while nothing is to be cut."""
    awaits: _Cut | None = None
    """The order whose `following` it has sent, so that its `word` is the next to come."""

    def reset(self) -> None:
        for end in (self.client, self.server):
            try:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # that end has gone already, which is what was wanted


class Proxy:
    """Forwards to the host and port of a URL."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "127.0.0.1", target.port or 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port: int = self._listener.getsockname()[1]
        self.url = url.replace(f":{target.port}/", f":{self._port}/")
        self._lock = threading.Lock()
        self._cut: _Cut | None = None
        self.accepts = True
        """Whether new connections are let through; those that are open stay so."""
        self.cuts = 0
        self._connections: list[_Connection] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut_answer_to(self, word: bytes, *, after: int, following: bytes = b"") -> None:
        """The connection whose client next sends `word` is cut after so many bytes of the answer.

        With a negative number the server lacks that many bytes of what was sent, and so never does it. Where other
        connections send the same word for matters of their own, `following` is what this one sends before.
        """
        with self._lock:
            self._cut = _Cut(word, after, following)

    def reset_all(self) -> None:
        """Cut every connection."""
        with self._lock:
            for connection in self._connections:
                connection.reset()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self.accepts = False
        self.reset_all()
        for thread in self._threads:
            thread.join(timeout=PATIENCE_SECONDS)
            assert not thread.is_alive(), "a thread of the proxy does not end"
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            with self._lock:
                if not self.accepts:
                    client.close()
                    continue
                connection = _Connection(client, socket.create_connection(self._target))
                self._connections.append(connection)
            pumps = [
                threading.Thread(target=self._forward, args=(connection,)),
                threading.Thread(target=self._answer, args=(connection,)),
            ]
            self._threads += pumps
            for pump in pumps:
                pump.start()

    def _forward(self, connection: _Connection) -> None:
        """What the client sends."""
        while sent := _received(connection.client):
            cut = self._ordered(connection, sent)
            if cut is not None and cut.after < 0:
                _send(connection.server, sent[: cut.after])
                break
            if cut is not None:
                connection.passing = cut.after
            _send(connection.server, sent)
        connection.reset()
        connection.client.close()

    def _ordered(self, connection: _Connection, sent: bytes) -> _Cut | None:
        """The order that these bytes carry out, which is over with that."""
        with self._lock:
            if self._cut is not None and self._cut.following in sent:
                connection.awaits = self._cut
            if connection.awaits is None or connection.awaits is not self._cut or self._cut.word not in sent:
                return None
            self._cut = None
            self.cuts += 1
            return connection.awaits

    def _answer(self, connection: _Connection) -> None:
        """What the server answers."""
        while answered := _received(connection.server):
            if connection.passing is None:
                _send(connection.client, answered)
                continue
            _send(connection.client, answered[: connection.passing])
            connection.passing -= min(connection.passing, len(answered))
            if connection.passing == 0:
                break
        connection.reset()
        connection.server.close()


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(65536)
    except OSError:
        return b""


def _send(end: socket.socket, what: bytes) -> None:
    try:
        end.sendall(what)
    except OSError:
        return  # the other end has gone; the pump that reads from it says so
