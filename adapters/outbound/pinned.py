"""One HTTP call to an address that was looked up, checked and then connected to: the same one (RELIABILITY §3 K5).

A name that answers once with a public address and then with ours is asked once only. Nothing is followed, no
proxy is asked, and of the answer nothing is read but its first lines: whatever else it says cannot matter.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from adapters.names import look_up
from governor.domain.addresses import reachable
from governor.domain.endpoints import Reach, WebAddress


@cache
def system_authorities() -> ssl.SSLContext:
    """Whom this system believes about names; read when somebody is first called, which most processes never do."""
    return ssl.create_default_context()


LookUp = Callable[[str, int, float], list[tuple[str, int]]]
"""Name, port, seconds → addresses with their ports."""

Connect = Callable[[tuple[str, int], float], socket.socket]
"""Address with its port, seconds → a connection to it."""

CALL_SECONDS = 15.0
"""For everything together: the name, the connection, the certificate, the request and the answer's first lines."""
CONNECT_SECONDS = 5.0
"""For each of a name's addresses: one that is dead leaves time for the next."""
MOST_HEAD_BYTES = 64 * 1024
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


class NotCarriedError(Exception):
    """There was no answer; `code` is a short stable word for why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class PinnedCaller:
    """Makes calls, within `reach`."""

    reach: Reach = field(default_factory=Reach)
    seconds: float = CALL_SECONDS
    look_up: LookUp = look_up
    connect: Connect = socket.create_connection
    tls: Callable[[], ssl.SSLContext] = system_authorities

    def post(self, address: WebAddress, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer.

        Raises:
            NotCarriedError: `name_not_found`, `address_refused`, `connection_failed`, `tls_failed`, `timed_out`,
                `connection_lost` before a whole answer, `answer_unreadable`.
        """
        ends_at = time.monotonic() + self.seconds
        try:
            connected = self._connect(self._addresses(address, ends_at), ends_at)
            with self._secured(connected, address, ends_at) as sock:
                sock.settimeout(_left(ends_at))
                sock.sendall(_request(address, headers, body))
                return _status(sock, ends_at)
        except TimeoutError:
            raise NotCarriedError("timed_out") from None
        except ssl.SSLError:
            raise NotCarriedError("tls_failed") from None
        except OSError:
            raise NotCarriedError("connection_lost") from None

    def _addresses(self, address: WebAddress, ends_at: float) -> list[tuple[str, int]]:
        """Where the name leads, all of it fit to be called: a name that also leads to us is not called at all."""
        if address.scheme == "http":
            if not self.reach.loopback:
                raise NotCarriedError("address_refused")
            return [(address.host, address.port)]
        try:
            found = self.look_up(address.host, address.port, _left(ends_at))
        except socket.gaierror as error:
            late = error.errno == socket.EAI_AGAIN
            raise NotCarriedError("timed_out" if late else "name_not_found") from None
        if not found or not all(reachable(one) for one, _ in found):
            raise NotCarriedError("address_refused")
        return found

    def _connect(self, addresses: list[tuple[str, int]], ends_at: float) -> socket.socket:
        for one in addresses:
            try:
                return self.connect(one, min(CONNECT_SECONDS, _left(ends_at)))
            except OSError:
                continue
        raise NotCarriedError("timed_out" if time.monotonic() >= ends_at else "connection_failed")

    def _secured(self, connected: socket.socket, address: WebAddress, ends_at: float) -> socket.socket:
        """The connection, with TLS and the name's own certificate where there is one."""
        if address.scheme == "http":
            return connected
        try:
            connected.settimeout(_left(ends_at))
            return self.tls().wrap_socket(connected, server_hostname=address.host)
        except BaseException:
            connected.close()
            raise


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _request(address: WebAddress, headers: Mapping[str, str], body: bytes) -> bytes:
    usual = address.port == (443 if address.scheme == "https" else 80)
    given = {
        "Host": address.host if usual else f"{address.host}:{address.port}",
        "User-Agent": "governor",
        "Accept": "*/*",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    lines = [f"POST {address.path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body


def _status(sock: socket.socket, ends_at: float) -> int:
    """The status of the first answer that is one: those below 200 only announce another."""
    head = b""
    while True:
        ended = _END_OF_HEAD.search(head)
        if ended is None:
            if len(head) > MOST_HEAD_BYTES:
                raise NotCarriedError("answer_unreadable")
            sock.settimeout(_left(ends_at))
            received = sock.recv(4096)
            if not received:
                raise NotCarriedError("answer_unreadable" if head else "connection_lost")
            head += received
            continue
        status = _STATUS.match(head)
        if status is None:
            raise NotCarriedError("answer_unreadable")
        if int(status[1]) >= 200:
            return int(status[1])
        head = head[ended.end() :]
