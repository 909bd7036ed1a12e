"""Sockets that keep one deadline for a whole call and remember whether a byte has left.

requests and urllib3 limit each single read, so a reply of one byte a second never ends, and their errors do
not say whether the request was sent (STRIPE.md §2b row 29, §4). Both facts are kept here, in one `Call`:

    with call_within(8.0, connect_seconds=3.0) as call:
        session.get(...)        # over after 8 seconds, whatever the other side does
    call.sent                   # False: provably nothing was handed to the network

Names are looked up in a thread of their own, because the system's look-up cannot be given a deadline;
that happens once per connection, and connections are kept alive.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.client import HTTPResponse
from typing import TYPE_CHECKING, Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.util.connection import create_connection

from adapters.names import look_up
from governor.checkpoint import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from _typeshed import WriteableBuffer

IDLE_SECONDS = 30.0
"""A connection unused for longer is not used again: something on the way may have forgotten it silently,
and a request sent into such a hole ends as "unknown" (the servers we call close theirs after a minute)."""


class DeadlinePassedError(TimeoutError):
    """The call's time is over."""


@dataclass
class Call:
    """One call: when it must be over (monotonic seconds), and what is known of it so far.

    `sent` says that bytes of the request may have left this process. `status` and `headers` are those of
    a reply that came in whole, else None and empty.
    """

    ends_at: float
    connect_seconds: float
    sent: bool = False
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def remaining(self) -> float:
        """How many seconds are left.

        Raises:
            DeadlinePassedError: none.
        """
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise DeadlinePassedError("the deadline of the call has passed")
        return left


_current: ContextVar[Call] = ContextVar("call")


@contextmanager
def call_within(seconds: float, *, connect_seconds: float) -> Iterator[Call]:
    """Every socket of this module that is used inside the block keeps this deadline."""
    token = _current.set(Call(time.monotonic() + seconds, connect_seconds))
    try:
        yield _current.get()
    finally:
        _current.reset(token)


def current_call() -> Call:
    """The call under way.

    Raises:
        LookupError: there is none; nothing is sent without a deadline.
    """
    return _current.get()


class _DeadlineReader(io.RawIOBase):
    """Reads from a socket, each time for no longer than what is left of the whole call."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, call: Call) -> None:
        super().__init__()
        self._raw, self._sock, self._call = raw, sock, call

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._call.remaining())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _DeadlineResponse(HTTPResponse):
    """A reply whose status line, headers and body all come out of the same time."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:  # noqa: ANN401 - http.client's
        checkpoint("provider.sent")  # the whole request, for whose reply this is made
        super().__init__(sock, *args, **options)
        raw: io.RawIOBase = self.fp.detach()
        self.fp = io.BufferedReader(_DeadlineReader(raw, sock, current_call()))


class DeadlineConnection(HTTPConnection):
    """A connection that spends one call's time on connecting, sending and reading together."""

    response_class = _DeadlineResponse
    used_at = 0.0

    @property
    def is_connected(self) -> bool:
        """Whether the pool may use it again."""
        return super().is_connected and time.monotonic() - self.used_at < IDLE_SECONDS

    def _new_conn(self) -> socket.socket:
        call = current_call()
        ends_at = min(call.ends_at, time.monotonic() + call.connect_seconds)
        sock = self._connect_before(ends_at)
        sock.settimeout(max(ends_at - time.monotonic(), 0.001))  # the TLS handshake comes out of it too
        return sock

    def _connect_before(self, ends_at: float) -> socket.socket:
        failure: OSError = DeadlinePassedError("no time to connect")
        try:
            addresses = look_up(self.host, self.port, max(ends_at - time.monotonic(), 0.001))
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        for address in addresses:
            seconds = ends_at - time.monotonic()
            if seconds <= 0:
                break
            try:
                return create_connection(address, seconds, socket_options=self.socket_options)
            except OSError as error:
                failure = error
        if isinstance(failure, TimeoutError):
            raise ConnectTimeoutError(self, "no connection in time") from failure
        raise NewConnectionError(self, "no connection") from failure

    def send(self, data: Any) -> None:  # noqa: ANN401 - http.client's own signature
        """Hand bytes to the network; from here on nobody can say that they did not leave."""
        if self.sock is None:
            self.connect()
        call = current_call()
        self.sock.settimeout(call.remaining())
        call.sent = True
        super().send(data)
        self.used_at = time.monotonic()


class DeadlineTLSConnection(DeadlineConnection, HTTPSConnection):
    """The same over TLS. What fails before the handshake is done is an error of connecting."""

    def connect(self) -> None:
        """Connect and shake hands."""
        try:
            super().connect()
        except ssl.SSLError:
            raise
        except TimeoutError as error:
            raise ConnectTimeoutError(self, "no TLS handshake in time") from error
        except OSError as error:
            raise NewConnectionError(self, "the TLS handshake broke off") from error


class PlainPool(HTTPConnectionPool):
    """Connections for http://, as the sandbox speaks."""

    ConnectionCls = DeadlineConnection


class TLSPool(HTTPSConnectionPool):
    """Connections for https://."""

    ConnectionCls = DeadlineTLSConnection


class DeadlineAdapter(HTTPAdapter):
    """What a requests session is mounted with to get all of this."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - requests' own signature
        """Use our pools."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": TLSPool}
