"""A connection that collects a whole request before anybody works on it (RELIABILITY §0.4).

Reading happens in the loop that watches all connections, so that a client which sends slowly, or half and no more,
costs memory and a descriptor, but no thread.
"""

import re
import socket
import time
from errno import ECONNRESET
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# A body of 64 KiB is the largest the API takes (API.md), and a head is smaller; a webhook's may have 1 MiB. What is
# larger is handed on as it stands, to be refused.
LARGEST_BYTES: Final = 96 * 1024
LARGEST_WEBHOOK_BYTES: Final = 1024 * 1024 + 32 * 1024
# One piece of an answer is taken by the client in this time, or the connection is given up.
SEND_SECONDS: Final = 10.0

_WEBHOOK: Final = b"POST /webhooks/"
_END_OF_HEAD: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r", re.IGNORECASE)
_CHUNKED: Final = re.compile(rb"\ntransfer-encoding:", re.IGNORECASE)
_EXPECT: Final = re.compile(rb"\nexpect:[ \t]*100-continue", re.IGNORECASE)


def is_whole(received: bytes | bytearray) -> bool:
    """Whether a request is all there, or so large or odd that waiting for more serves nobody.

    It need not be exact, only never wait for what a well-formed request does not send: the server parses the bytes
    after this, and what it still misses it receives under a deadline.
    """
    largest = LARGEST_WEBHOOK_BYTES if received.startswith(_WEBHOOK) else LARGEST_BYTES
    if len(received) > largest:
        return True
    head = _head(received)
    if head is None:
        # What a webhook may be larger by is its body.
        return len(received) > LARGEST_BYTES
    in_body = len(received) - len(head) - len(_END_OF_HEAD)
    if _CHUNKED.search(head):
        return in_body >= len(_END_OF_HEAD) and received.endswith(_END_OF_HEAD)
    length = _LENGTH.search(head + b"\r")
    return length is None or in_body >= int(length[1]) or int(length[1]) > largest


def _head(received: bytes | bytearray) -> bytes | None:
    """The head without its end, once it is all there. The body is not copied: this is asked at each of its pieces."""
    end = received.find(_END_OF_HEAD)
    return None if end < 0 else bytes(received[:end])


class CollectingSocket(socket.socket):
    """A connection that first collects without blocking, then is read from what it collected.

    What is read after that blocks until the time given to ``limit`` is over, and no longer.
    """

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(fileno=connected.detach())
        self.setblocking(False)
        self._collected = bytearray()
        self._ended = False
        self._told_to_continue = False
        self._deadline = 0.0

    @property
    def complete(self) -> bool:
        """Whether the next request may be worked on: it is whole, or nothing more will come."""
        return self._ended or is_whole(self._collected)

    @property
    def has_more(self) -> bool:
        """Whether bytes of a next request have been collected already."""
        return bool(self._collected)

    def collect(self) -> None:
        """Takes what has arrived. An end or an error of the connection is met again by whoever reads next."""
        try:
            received = super().recv(LARGEST_BYTES)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        self._ended = not received
        self._collected += received
        self._invite_the_body()

    def give_back(self, unused: bytes) -> None:
        """Puts bytes of a next request, read too early, back in front."""
        self._collected[:0] = unused

    def _invite_the_body(self) -> None:
        """A client may wait for "100 Continue" before it sends a body; a second one from the server is allowed."""
        if self._told_to_continue:
            return
        head = _head(self._collected)
        if head is not None and _EXPECT.search(head) and not self.complete:
            self._told_to_continue = True
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def limit(self, seconds: float) -> None:
        """From now on reading ends after ``seconds``, however steadily the client drips."""
        self._deadline = time.monotonic() + seconds
        self._told_to_continue = False

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """What was collected, then what still arrives in time.

        Raises ConnectionResetError after the deadline: gunicorn treats that as a client that went away, and werkzeug
        as a bad request.
        """
        if self._collected:
            piece = bytes(self._collected[:size])
            del self._collected[:size]
            return piece
        self.settimeout(max(self._deadline - time.monotonic(), 0.001))
        try:
            return super().recv(size, flags)
        except TimeoutError as late:
            raise ConnectionResetError(ECONNRESET, "the request did not arrive in time") from late

    def sendall(self, data: "ReadableBuffer", flags: int = 0, /) -> None:
        """Sends all of it; raises TimeoutError when the client does not take it in time."""
        self.settimeout(SEND_SECONDS)
        super().sendall(data, flags)
