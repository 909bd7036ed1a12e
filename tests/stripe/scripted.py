"""A loopback server that answers each request with the next thing it was told to, byte for byte.

    with ScriptedServer(reply(200, {...}), reset) as server:
        ...
    server.requests      # what was really sent, one entry for each HTTP request

A step is a function of the connection: it writes what it likes and returns whether the connection lives on.
The last step is repeated. Nothing here sleeps blindly: pauses end when the server is stopped.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from tests.stack import PATIENCE_SECONDS

Step = Callable[["Connection"], bool]


@dataclass(frozen=True)
class Request:
    """One HTTP request as it came in. Header names are lower-case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int


@dataclass
class Connection:
    """What a step may use."""

    socket: socket.socket
    stopped: threading.Event


@dataclass
class ScriptedServer:
    """Listens on a free port of 127.0.0.1 for as long as its `with` block lasts."""

    steps: list[Step]
    requests: list[Request] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _open: list[socket.socket] = field(default_factory=list)

    def __init__(self, *steps: Step) -> None:
        self.steps, self.requests = list(steps), []
        self._stopped, self._threads, self._open = threading.Event(), [], []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):  # it may be closed already
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for thread in self._threads:
            thread.join(timeout=PATIENCE_SECONDS)
            assert not thread.is_alive()

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:  # the listener was shut down
                return
            self._open.append(connection)
            self._start(self._serve, connection, len(self._open))

    def _serve(self, connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as reader:  # the client left
            while request := _read_request(reader, number):
                step = self.steps[min(len(self.requests), len(self.steps) - 1)]
                self.requests.append(request)
                if not step(Connection(connection, self._stopped)):
                    return


def _read_request(reader: Any, number: int) -> Request | None:
    line = reader.readline().decode().split()
    if not line:
        return None
    headers: dict[str, str] = {}
    while (header := reader.readline().decode().strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", 0)))
    return Request(line[0], line[1], headers, body, number)


def raw(status: int, body: object, headers: dict[str, str] | None = None) -> bytes:
    """The bytes of a whole reply; `body` is JSON unless it is bytes already."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    shown = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in shown.items())
    return f"HTTP/1.1 {status} Scripted\r\n{lines}\r\n".encode() + content


def reply(status: int, body: object, headers: dict[str, str] | None = None) -> Step:
    """Answer at once and keep the connection."""

    def step(connection: Connection) -> bool:
        connection.socket.sendall(raw(status, body, headers))
        return True

    return step


def write(data: bytes) -> Step:
    """Write these bytes and close: a reply that breaks off."""

    def step(connection: Connection) -> bool:
        connection.socket.sendall(data)
        return False

    return step


def drip(data: bytes, *, every_seconds: float) -> Step:
    """Write one byte at a time, for ever if need be."""

    def step(connection: Connection) -> bool:
        for byte in data:
            connection.socket.sendall(bytes([byte]))
            if connection.stopped.wait(every_seconds):
                break
        return False

    return step


def hold(connection: Connection) -> bool:
    """Never answer: a black hole until the server stops."""
    connection.stopped.wait()
    return False


def reset(connection: Connection) -> bool:
    """Cut the connection with a RST."""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def close(_: Connection) -> bool:
    """Close without an answer."""
    return False
