"""The sockets: one thread per connection, and every way in which a connection can end badly."""

import select
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable

from adapters.sandbox.wire import BadRequest, Reply, Request, json_answer, read_request

Handle = Callable[[Request], Reply]

_BACKLOG = 1024
_REFUSAL_SECONDS = 60.0
# l_onoff = 1, l_linger = 0: closing sends RST instead of FIN.
_RESET = struct.pack("ii", 1, 0)


class Server:
    """Listens on one loopback address. ``handle`` says what each request gets."""

    def __init__(self, host: str, port: int, handle: Handle) -> None:
        self._handle = handle
        self._stopping = False
        self._refused_until = 0.0  # by the monotonic clock
        self._is_open = threading.Event()
        self._is_closed = threading.Event()
        self._connections: dict[int, _Connection] = {}
        self._lock = threading.Lock()
        self._socket = _bound(host, port)
        self._socket.listen(_BACKLOG)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self._poke_in, self._poke_out = socket.socketpair()
        self._is_open.set()

    @property
    def url(self) -> str:
        """``http://127.0.0.1:12111``."""
        host = f"[{self.address[0]}]" if ":" in self.address[0] else self.address[0]
        return f"http://{host}:{self.address[1]}"

    def run(self) -> None:
        """Accepts connections until ``stop``."""
        while not self._stopping:
            left = self._refused_until - time.monotonic()
            self._listen_or_refuse(refuse=left > 0)
            watched = [self._poke_out] if left > 0 else [self._poke_out, self._socket]
            ready, _, _ = select.select(watched, [], [], max(left, 0.0) if left > 0 else None)
            if self._poke_out in ready:
                self._poke_out.recv(4096)
            elif self._socket in ready:
                self._welcome()
        self._socket.close()

    def stop(self) -> None:
        """Ends the accept loop and every connection."""
        self._stopping = True
        self._poke_in.send(b".")
        with self._lock:
            for connection in self._connections.values():
                connection.hang_up()

    def refuse_connections(self, seconds: float) -> None:
        """Closes the port for so long (0: opens it again) and the connections that wait for a request.

        Returns when it is done. The connection that asks stays, so that it can ask for the end of it.
        """
        done = self._is_closed if seconds else self._is_open
        self._refused_until = time.monotonic() + seconds if seconds else 0.0
        self._poke_in.send(b".")
        if not done.wait(_REFUSAL_SECONDS):
            raise TimeoutError("the port did not change in time")
        if seconds:
            with self._lock:
                others = [
                    found for thread, found in self._connections.items() if thread != threading.get_ident()
                ]
            for connection in others:
                connection.finish()

    def _listen_or_refuse(self, *, refuse: bool) -> None:
        """A port that is bound but not listened on refuses connections, and nobody else can take it."""
        if refuse == self._is_closed.is_set():
            return
        if refuse:
            self._socket.close()
            self._socket = _bound(*self.address)
            self._is_open.clear()
            self._is_closed.set()
        else:
            self._socket.listen(_BACKLOG)
            self._is_closed.clear()
            self._is_open.set()

    def _welcome(self) -> None:
        try:
            client, _ = self._socket.accept()
        except OSError:
            return  # the client left between its arrival and now: there is nobody to serve
        threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        connection = _Connection(client)
        with self._lock:
            self._connections[threading.get_ident()] = connection
        try:
            connection.serve(self._handle)
        finally:
            with self._lock:
                del self._connections[threading.get_ident()]
            client.close()


class _Connection:
    """One client's connection, kept alive between requests."""

    def __init__(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client
        self._is_busy = False
        self._is_last = False
        self._lock = threading.Lock()

    def serve(self, handle: Handle) -> None:
        """Requests and replies until one side ends it."""
        with self._client.makefile("rb") as stream:
            try:
                while not self._is_last:
                    request = read_request(stream)
                    with self._lock:
                        self._is_busy = request is not None
                    if request is None or not self._send(_handled(handle, request)):
                        return
                    with self._lock:
                        self._is_busy = False
                    if request.wants_close:
                        return
            except BadRequest as wrong:
                self._client.sendall(json_answer(400, {"error": str(wrong)}).encoded())
            except ConnectionError:
                return  # the client went away: what was executed stays executed

    def finish(self) -> None:
        """Ends the connection: at once when it waits for a request, else after the running one."""
        with self._lock:
            self._is_last = True
            if not self._is_busy:
                self.hang_up()

    def hang_up(self) -> None:
        """Ends the connection now."""
        try:
            self._client.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it had ended by itself

    def _send(self, reply: Reply) -> bool:
        """Does what the reply says; True when another request may follow."""
        if reply.ending == "reset":
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        if reply.answer is None:
            return False
        encoded = reply.answer.encoded()
        if reply.ending == "truncate":
            encoded = encoded[: len(encoded) - len(reply.answer.body) // 2 - 1]
        self._client.sendall(encoded)
        return reply.ending == "keep"


def _handled(handle: Handle, request: Request) -> Reply:
    try:
        return handle(request)
    except Exception:  # noqa: BLE001 - a fault of the twin must be seen, not hang its client
        traceback.print_exc(file=sys.stderr)
        return Reply(json_answer(500, {"error": "the sandbox failed; its log says why"}))


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((host, port))
    return made
